package text

import (
	"testing"

	"hardshell/tools/secret"
)

// What is no text is sampled; the start of a secret that is still on its way is no
// part of the sample.
func TestSampleHoldsNoPartOfASecret(t *testing.T) {
	m := secret.New([]secret.Named{{Name: "LAB_KEY", Value: "s3cr3t-zz"}})
	for _, c := range []struct{ wrote, want string }{
		{"\x00ab", "binary, 3 bytes, starting 00 61 62\n"},
		{"\x00s3cr3t", "binary, 7 bytes, starting 00\n"},
		{"\x00s3cr3t-zz", "binary, 10 bytes, starting 00 5b 73 65 63 72 65 74 20 4c 41 42 5f 4b 45 59 5d\n"},
	} {
		got := NewCapture(Limits{}, m, nil)
		got.Write([]byte(c.wrote))
		same(t, c.wrote, got.Summary(), c.want)
	}
}
