package scripted

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/ollama/ollama/fs/ggml"
)

// The model's shape. Only width matters: it must hold one dimension for each
// token. The rest is as small as servers accept.
const (
	// headSize is the one attention head's, in dimensions. Attention does nothing
	// here and costs the square of a prompt's length: it is as narrow as servers take.
	headSize = 32
	block    = 64     // the width is a multiple of this
	forward  = 64     // width of the feed-forward part
	window   = 131072 // context length, in tokens; a token is a byte here
	// certainty is the logit of the successor before normalisation. Every other
	// token has 0, so that no sampling setting changes the choice.
	certainty = 10
)

// The token types of the format.
const (
	normalToken  int32 = 1
	controlToken int32 = 3
)

// Write makes the model file of the script.
func Write(path string, script []Scene) error {
	c, err := NewChain(script)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("scripted model: %w", err)
	}
	kv, tensors := c.model()
	if err := ggml.WriteGGUF(f, kv, tensors); err != nil {
		f.Close()
		return fmt.Errorf("scripted model %s: %w", path, err)
	}
	return f.Close()
}

// tokens lists the vocabulary: all bytes, the marks, the pieces. ids gives the
// place of a mark or piece by its own text.
func (c *Chain) tokens() (texts []string, types []int32, ids map[string]int) {
	ids = map[string]int{}
	for b := range 256 {
		texts = append(texts, visible([]byte{byte(b)}))
		types = append(types, normalToken)
	}
	for _, s := range c.Controls {
		ids[s] = len(texts)
		texts = append(texts, s)
		types = append(types, controlToken)
	}
	for _, s := range c.Words {
		ids[s] = len(texts)
		texts = append(texts, visible([]byte(s)))
		types = append(types, normalToken)
	}
	return texts, types, ids
}

// visible writes bytes as the GPT-2 vocabulary does: printable ones as
// themselves, each other one as a letter from U+0100 on.
func visible(b []byte) string {
	var s []rune
	for _, c := range b {
		s = append(s, letter(c))
	}
	return string(s)
}

// letter is the rune that stands for one byte in a GPT-2 vocabulary.
func letter(c byte) rune {
	printable := func(c byte) bool {
		return '!' <= c && c <= '~' || 0xA1 <= c && c <= 0xAC || 0xAE <= c
	}
	if printable(c) {
		return rune(c)
	}
	n := rune(0)
	for lower := range c {
		if !printable(lower) {
			n++
		}
	}
	return 0x100 + n
}

// model gives the file's key values and tensors.
func (c *Chain) model() (ggml.KV, []*ggml.Tensor) {
	texts, types, ids := c.tokens()
	vocab := len(texts)
	width := (vocab + block - 1) / block * block

	// Row i of the embedding is the unit vector i; row j of the output holds a
	// certainty at i for every token i that j follows. A byte token, which the
	// model is never left at, leads to the end.
	embedding, output := make(floats, vocab*width), make(floats, vocab*width)
	names := make([]string, vocab)
	for s, id := range ids {
		names[id] = s
	}
	for i := range vocab {
		embedding[i*width+i] = 1
		next, ok := c.Next[names[i]]
		if !ok {
			next = imEnd
		}
		output[ids[next]*width+i] = certainty
	}

	kv := ggml.KV{
		"general.architecture": "llama",
		"general.name":         "scripted",
		"general.file_type":    uint32(0), // all tensors float32

		"llama.block_count":                      uint32(1),
		"llama.context_length":                   uint32(window),
		"llama.embedding_length":                 uint32(width),
		"llama.feed_forward_length":              uint32(forward),
		"llama.attention.head_count":             uint32(1),
		"llama.attention.head_count_kv":          uint32(1),
		"llama.attention.key_length":             uint32(headSize),
		"llama.attention.value_length":           uint32(headSize),
		"llama.attention.layer_norm_rms_epsilon": float32(1e-5),
		"llama.rope.dimension_count":             uint32(headSize),
		"llama.rope.freq_base":                   float32(10000),
		"llama.vocab_size":                       uint32(vocab),

		"tokenizer.ggml.model":         "gpt2",
		"tokenizer.ggml.pre":           "default",
		"tokenizer.ggml.tokens":        texts,
		"tokenizer.ggml.token_type":    types,
		"tokenizer.ggml.merges":        []string{"Ġ t"}, // servers refuse an empty list; this pair makes no token we have
		"tokenizer.ggml.bos_token_id":  uint32(ids[endOfText]),
		"tokenizer.ggml.eos_token_id":  uint32(ids[imEnd]),
		"tokenizer.ggml.add_bos_token": false,
	}
	return kv, tensors(uint64(vocab), uint64(width), embedding, output)
}

// tensors names the weights as the llama architecture does; all but the two
// tables are ones (norms) or zeros.
func tensors(vocab, width uint64, embedding, output floats) []*ggml.Tensor {
	var all []*ggml.Tensor
	add := func(name string, data floats, shape ...uint64) {
		all = append(all, &ggml.Tensor{Name: name, Shape: shape, WriterTo: data})
	}
	ones := make(floats, width)
	for i := range ones {
		ones[i] = 1
	}
	zeros := func(rows, columns uint64) floats { return make(floats, rows*columns) }

	add("token_embd.weight", embedding, width, vocab)
	add("output_norm.weight", ones, width)
	add("output.weight", output, width, vocab)
	add("blk.0.attn_norm.weight", ones, width)
	add("blk.0.ffn_norm.weight", ones, width)
	add("blk.0.attn_q.weight", zeros(width, headSize), width, headSize)
	add("blk.0.attn_k.weight", zeros(width, headSize), width, headSize)
	add("blk.0.attn_v.weight", zeros(width, headSize), width, headSize)
	add("blk.0.attn_output.weight", zeros(headSize, width), headSize, width)
	add("blk.0.ffn_gate.weight", zeros(width, forward), width, forward)
	add("blk.0.ffn_up.weight", zeros(width, forward), width, forward)
	add("blk.0.ffn_down.weight", zeros(forward, width), forward, width)
	return all
}

// floats are float32 weights that write themselves.
type floats []float32

// WriteTo writes the weights in the byte order of the format.
func (f floats) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, []float32(f)); err != nil {
		return 0, err
	}
	n, err := w.Write(b.Bytes())
	return int64(n), err
}
