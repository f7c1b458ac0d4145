package audit_test

import (
	"fmt"

	"hardshell/policy/audit"
)

func ExampleChainValue() {
	key := []byte("kept by the store")
	r := audit.Line{Seq: 1, Kind: "start"}
	first := audit.ChainValue(key, "", r)
	r.Outcome = "changed"
	fmt.Println(len(first), first == audit.ChainValue(key, "", r))
	// Output: 64 false
}
