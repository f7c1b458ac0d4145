package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// bbolt maps its file and follows the page numbers in it; a page of zeros makes
// it panic, a wild number makes it read outside the map, which no recover
// catches. So a file is walked here first, by plain reads, each page at most
// once, and bbolt gets it only when everything that can be reached makes sense.
//
// The layout is that of bbolt's format 2, in the byte order of the machine.
const (
	boltMagic   = 0xED0CDAED
	boltVersion = 2
	noFreelist  = ^uint64(0)

	pageHeader  = 16
	elementSize = 16
	bucketSize  = 16
	metaSize    = 64

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10
	bucketFlag   = 0x01

	// maxDepth bounds nesting; our own trees are three or four levels deep.
	maxDepth = 64
)

var order = binary.NativeEndian

// errNewerBolt says that the file is whole and of a later bbolt format.
var errNewerBolt = errors.New("the file has a later bbolt format")

type boltMeta struct {
	pageSize              uint32
	root, freelist, pages uint64
	tx                    uint64
}

// page is one logical page with its overflow.
type page struct {
	id    uint64
	flags uint16
	count int
	body  []byte // the page from its header on
	// inPlace is true for a small bucket inside its parent's value.
	inPlace bool
}

type walker struct {
	r    io.ReaderAt
	meta boltMeta
	seen []uint64 // bitmap of pages that something points to
	// bufs holds one page for each depth: a page is read while those above it are
	// still looked at.
	bufs [][]byte
}

// checkPages walks a bbolt file of size bytes and gives the first thing that is
// wrong with it.
func checkPages(r io.ReaderAt, size int64) error {
	meta, err := readMeta(r, size)
	if err != nil {
		return err
	}
	if have := uint64(size) / uint64(meta.pageSize); meta.pages < 3 || meta.pages > have {
		return fmt.Errorf("the file has %d pages and should have %d", have, meta.pages)
	}
	w := &walker{r: r, meta: meta, seen: make([]uint64, meta.pages/64+1)}
	w.mark(0)
	w.mark(1)
	if err := w.walk(meta.root, nil, nil, 0); err != nil {
		return err
	}
	return w.freelist()
}

// readMeta gives the newer of the two valid meta pages, by bbolt's own rules: were it
// another than bbolt takes, bbolt would follow numbers that nobody has checked.
func readMeta(r io.ReaderAt, size int64) (boltMeta, error) {
	var best boltMeta
	var firstErr error
	// The second meta page lies one page in, and the page size stands in the
	// first, which may be the broken one: so try every page size there is.
	for _, at := range []int64{0, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16} {
		if at+pageHeader+metaSize > size {
			break
		}
		m, err := readMetaAt(r, at)
		switch {
		case err == nil && (at == 0 || at == int64(m.pageSize)):
			if best.pageSize == 0 || m.tx > best.tx {
				best = m
			}
		case errors.Is(err, errNewerBolt):
			return boltMeta{}, err
		case firstErr == nil:
			firstErr = err
		}
	}
	if best.pageSize == 0 {
		if firstErr == nil {
			firstErr = fmt.Errorf("a file of %d bytes is too short", size)
		}
		return boltMeta{}, firstErr
	}
	return best, nil
}

func readMetaAt(r io.ReaderAt, at int64) (boltMeta, error) {
	b := make([]byte, pageHeader+metaSize)
	if _, err := r.ReadAt(b, at); err != nil {
		return boltMeta{}, err
	}
	m := b[pageHeader:]
	if order.Uint32(m) != boltMagic { // bbolt looks at nothing in front of it either
		return boltMeta{}, errors.New("no valid meta page")
	}
	sum := fnv.New64a()
	_, _ = sum.Write(m[:metaSize-8])
	if sum.Sum64() != order.Uint64(m[metaSize-8:]) {
		return boltMeta{}, errors.New("no meta page matches its checksum")
	}
	switch v := order.Uint32(m[4:]); {
	case v > boltVersion:
		return boltMeta{}, errNewerBolt
	case v < boltVersion:
		return boltMeta{}, fmt.Errorf("a meta page has format %d", v)
	}
	out := boltMeta{
		pageSize: order.Uint32(m[8:]),
		root:     order.Uint64(m[16:]),
		freelist: order.Uint64(m[32:]),
		pages:    order.Uint64(m[40:]),
		tx:       order.Uint64(m[48:]),
	}
	if out.pageSize < 1<<10 || out.pageSize > 1<<16 || out.pageSize&(out.pageSize-1) != 0 {
		return boltMeta{}, fmt.Errorf("page size %d makes no sense", out.pageSize)
	}
	return out, nil
}

// load reads a logical page and takes it, with its overflow, out of those that
// may be pointed to again.
func (w *walker) load(id uint64, depth int) (page, error) {
	if id < 2 || id >= w.meta.pages {
		return page{}, fmt.Errorf("page %d is outside the file", id)
	}
	size := int64(w.meta.pageSize)
	for len(w.bufs) <= depth {
		w.bufs = append(w.bufs, make([]byte, size))
	}
	body := w.bufs[depth]
	if _, err := w.r.ReadAt(body, int64(id)*size); err != nil {
		return page{}, fmt.Errorf("page %d: %w", id, err)
	}
	if got := order.Uint64(body); got != id {
		return page{}, fmt.Errorf("page %d calls itself %d", id, got)
	}
	over := uint64(order.Uint32(body[12:]))
	if over >= w.meta.pages-id {
		return page{}, fmt.Errorf("page %d runs over the end of the file", id)
	}
	for i := range over + 1 {
		if !w.mark(id + i) {
			return page{}, fmt.Errorf("page %d is used twice", id+i)
		}
	}
	if over > 0 {
		body = make([]byte, (int64(over)+1)*size)
		if _, err := w.r.ReadAt(body, int64(id)*size); err != nil {
			return page{}, fmt.Errorf("page %d: %w", id, err)
		}
	}
	return page{id: id, flags: order.Uint16(body[8:]), count: int(order.Uint16(body[10:])), body: body}, nil
}

// mark notes that id is in use and reports whether that is new.
func (w *walker) mark(id uint64) bool {
	if w.seen[id/64]&(1<<(id%64)) != 0 {
		return false
	}
	w.seen[id/64] |= 1 << (id % 64)
	return true
}

// walk checks the tree under a page whose keys must begin with low and lie
// below high.
func (w *walker) walk(id uint64, low, high []byte, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("page %d lies too deep", id)
	}
	p, err := w.load(id, depth)
	if err != nil {
		return err
	}
	switch p.flags {
	case leafPage:
		return w.leaf(p, low, high, depth)
	case branchPage:
		return w.branch(p, low, high, depth)
	default:
		return fmt.Errorf("page %d has kind %#x where data should be", id, p.flags)
	}
}

func (w *walker) branch(p page, low, high []byte, depth int) error {
	if p.count == 0 {
		return fmt.Errorf("page %d is an empty branch", p.id)
	}
	keys, err := p.keys(low, high)
	if err != nil {
		return err
	}
	for i, key := range keys {
		next := high
		if i+1 < len(keys) {
			next = keys[i+1]
		}
		child := order.Uint64(p.body[pageHeader+i*elementSize+8:])
		if err := w.walk(child, key, next, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) leaf(p page, low, high []byte, depth int) error {
	if _, err := p.keys(low, high); err != nil {
		return err
	}
	for i := range p.count {
		e := p.body[pageHeader+i*elementSize:]
		start := int(order.Uint32(e[4:])) + int(order.Uint32(e[8:]))
		size := int(order.Uint32(e[12:]))
		if start > len(e) || size > len(e)-start {
			return fmt.Errorf("page %d: value %d lies outside of it", p.id, i)
		}
		if order.Uint32(e)&bucketFlag == 0 {
			continue
		}
		if p.inPlace {
			return fmt.Errorf("page %d: a bucket lies inside of one in place", p.id)
		}
		if err := w.bucket(p, e[start:start+size], depth+1); err != nil {
			return err
		}
	}
	return nil
}

// bucket checks a bucket's value: a page number, or 0 and a leaf page in place.
func (w *walker) bucket(p page, value []byte, depth int) error {
	if len(value) < bucketSize {
		return fmt.Errorf("page %d: a bucket of %d bytes is too short", p.id, len(value))
	}
	if root := order.Uint64(value); root != 0 {
		return w.walk(root, nil, nil, depth)
	}
	// A page in place has no number and no overflow, and holds no buckets.
	in := value[bucketSize:]
	if len(in) < pageHeader || order.Uint64(in) != 0 || order.Uint16(in[8:]) != leafPage || order.Uint32(in[12:]) != 0 {
		return fmt.Errorf("page %d: a bucket in place is no plain leaf", p.id)
	}
	inner := page{id: p.id, flags: leafPage, count: int(order.Uint16(in[10:])), body: in, inPlace: true}
	return w.leaf(inner, nil, nil, depth)
}

// keys gives the keys of a page: in order, from low on, below high.
func (p page) keys(low, high []byte) ([][]byte, error) {
	if pageHeader+p.count*elementSize > len(p.body) {
		return nil, fmt.Errorf("page %d: %d elements don't fit", p.id, p.count)
	}
	if p.count == 0 && low != nil {
		return nil, fmt.Errorf("page %d is empty and not the root of its bucket", p.id)
	}
	pos, length := 0, 4 // of a branch element
	if p.flags == leafPage {
		pos, length = 4, 8
	}
	keys := make([][]byte, p.count)
	for i := range keys {
		e := p.body[pageHeader+i*elementSize:]
		start, size := int(order.Uint32(e[pos:])), int(order.Uint32(e[length:]))
		if size == 0 || start > len(e) || size > len(e)-start {
			return nil, fmt.Errorf("page %d: key %d lies outside of it", p.id, i)
		}
		key := e[start : start+size]
		if i > 0 && bytes.Compare(keys[i-1], key) >= 0 {
			return nil, fmt.Errorf("page %d: key %d is out of order", p.id, i)
		}
		// bbolt finds a page in its branch by the page's first key: were it
		// another than the branch has, the next write would keep both.
		if (low != nil && i == 0 && !bytes.Equal(key, low)) || (high != nil && bytes.Compare(key, high) >= 0) {
			return nil, fmt.Errorf("page %d: key %d belongs elsewhere", p.id, i)
		}
		keys[i] = key
	}
	return keys, nil
}

// freelist checks that no free page is in use: writing to it would overwrite data.
func (w *walker) freelist() error {
	if w.meta.freelist == noFreelist {
		return nil
	}
	p, err := w.load(w.meta.freelist, 0)
	if err != nil {
		return err
	}
	if p.flags != freelistPage {
		return fmt.Errorf("page %d has kind %#x where the free list should be", p.id, p.flags)
	}
	ids, count := p.body[pageHeader:], uint64(p.count)
	if p.count == 0xFFFF { // too many for the header: the first number counts
		count, ids = order.Uint64(ids), ids[8:]
	}
	if count > uint64(len(ids))/8 {
		return fmt.Errorf("page %d: %d free pages don't fit", p.id, count)
	}
	for i := range count {
		id := order.Uint64(ids[i*8:])
		if id < 2 || id >= w.meta.pages || !w.mark(id) {
			return fmt.Errorf("page %d is free and in use", id)
		}
	}
	return nil
}
