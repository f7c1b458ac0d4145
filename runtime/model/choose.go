package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	gib = 1 << 30
	// headroom is what a model needs in memory besides its file, as a share of
	// it, and roomFixed whatever its size: compute buffers and a cache of a
	// small window.
	headroom  = 0.15
	roomFixed = 300 << 20
)

// needs estimates the memory of a model in bytes.
func needs(i Info) int64 { return i.Size + int64(headroom*float64(i.Size)) + roomFixed }

// Best picks a model when nobody has: of the local models that can chat and call
// tools, the biggest that fits into the free memory with headroom. Equal sizes
// are decided by name, so that the same server gives the same model each time.
// With free 0 (unknown) the smallest is taken. What the server has loaded counts as
// free, since it makes room with it, and a model that is loaded fits for certain. why is
// a sentence for a person.
func Best(list []Info, free int64, loaded ...Loaded) (best Info, why string, err error) {
	free = roomFor(free, loaded)
	var fit, able []Info
	all := len(list)
	list = slices.DeleteFunc(slices.Clone(list), func(i Info) bool { return Answers(i) != nil })
	for _, i := range list {
		if !i.Can("tools") || i.Remote != "" {
			continue
		}
		able = append(able, i)
		there := slices.ContainsFunc(loaded, func(l Loaded) bool { return sameName(l.Name, i.Name) })
		if free > 0 && (there || needs(i) <= free) {
			fit = append(fit, i)
		}
	}
	order := func(a, b Info) int { return cmp.Or(cmp.Compare(a.Size, b.Size), -cmp.Compare(a.Name, b.Name)) }
	switch {
	case len(list) == 0:
		none := "the model server has no model"
		if all > 0 {
			none += " that can answer, only " + count(all) + " for embeddings"
		}
		return Info{}, "", &Error{
			Code: ModelMissing, Message: none,
			Hint: "agent model pull qwen3:4b (2.5 GB) suits a board with 8 GB",
		}
	case len(able) == 0:
		return Info{}, "", &Error{
			Code: ModelMissing, Message: fmt.Sprintf("none of the server's %d models can call tools", len(list)),
			Hint: "agent model pull qwen3:4b (2.5 GB) suits a board with 8 GB; agent model use NAME takes one that can't",
		}
	case free <= 0:
		best = slices.MinFunc(able, func(a, b Info) int { return cmp.Or(cmp.Compare(a.Size, b.Size), cmp.Compare(a.Name, b.Name)) })
		return best, fmt.Sprintf("the smallest of %s that can call tools, since the free memory is not known", count(len(able))), nil
	case len(fit) == 0:
		least := slices.MinFunc(able, order)
		return Info{}, "", &Error{
			Code: OutOfMemory,
			Message: fmt.Sprintf("no model that can call tools fits into %s of memory; the smallest, %s, needs about %s",
				size(free), quoted(least.Name), size(needs(least))),
			Hint: "pull a smaller one (agent model pull NAME), or take this one all the same: agent model use " + quoted(least.Name),
		}
	}
	best = slices.MaxFunc(fit, order)
	return best, fmt.Sprintf("the biggest of %s that can call tools and fits into %s of memory (it needs about %s)",
		count(len(able)), size(free), size(needs(best))), nil
}

// roomFor is the memory that a model may take, in bytes: what is free, and what the
// server has given to models. 0 stays unknown.
func roomFor(free int64, loaded []Loaded) int64 {
	if free <= 0 {
		return 0
	}
	for _, l := range loaded {
		free += l.Size
	}
	return free
}

// sameName reports whether two names are those of one model: ":latest" may be left out.
func sameName(a, b string) bool {
	return strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
}

// count is a number of models in words.
func count(n int) string {
	if n == 1 {
		return "1 model"
	}
	return fmt.Sprintf("%d models", n)
}

// size is a number of bytes as people write it.
func size(n int64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }

const (
	smallWindow = 4096  // below 4 GiB
	usualWindow = 8192  // a board with 8 GB, and whenever the memory is not known
	largeWindow = 16384 // above 16 GiB
)

// numCtx is the window of every request to a model, in tokens: the configured one, else
// 8192, 4096 with less than 4 GiB of memory and 16384 with more than 16 GiB; and never
// more than the model was made for. A model that says how much memory a token takes
// gets the larger window where it fits into half of the memory with it.
func numCtx(i Info, want int, memory int64) int {
	n := want
	if n <= 0 {
		fits := func(window int64) bool {
			return memory > 0 && i.PerToken > 0 && i.Size > 0 && needs(i)+i.PerToken*window <= memory/2
		}
		switch {
		case memory > 16*gib || fits(largeWindow):
			n = largeWindow
		case memory > 0 && memory < 4*gib && !fits(usualWindow):
			n = smallWindow
		default:
			n = usualWindow
		}
	}
	if i.Window > 0 {
		n = min(n, i.Window)
	}
	return n
}
