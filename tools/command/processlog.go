package command

import (
	"fmt"

	"hardshell/tools"
	"hardshell/tools/text"
)

// log gives lines of what is kept of a command's output: from a line on, or the last
// ones.
func (p processCall) log() (tools.Output, error) {
	k, err := p.proc.keeps()
	if err != nil {
		return tools.Output{}, err
	}
	r, _ := p.proc.record()
	lines := p.t.limits.OutputLines
	if p.args.Limit > 0 {
		lines = min(p.args.Limit, lines)
	}
	picked, says := k.pick(p.args.Offset, lines, p.t.keeper.cfg.KeptBytes)
	out := tools.Output{}
	out.Text, out.Cut = text.Shorten(picked, p.t.limits)
	if p.args.Limit > lines {
		says += fmt.Sprintf("; at most exec.output_lines = %d at once", lines)
	}
	out.Text = text.EndLine(out.Text)
	if r.Runs() {
		out.Text += fmt.Sprintf("[%s runs on; %s]", r.ID, says)
		return out, nil
	}
	out.Text += fmt.Sprintf("[%s]\n%s", says, p.over(r, ""))
	return out, nil
}

// keeps reads everything that is kept of the command's output.
func (p *background) keeps() (keptText, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rec.Runs() {
		return p.out.kept()
	}
	if p.rec.Stripped {
		return keptText{}, fmt.Errorf("the output of %s was given up, since more than exec.kept_jobs = %d commands have ended; run it again with its output in a file of the workspace", p.rec.ID, p.keeper.cfg.Kept)
	}
	b, err := p.keeper.kept(p.rec.ID)
	if err != nil {
		return keptText{}, fmt.Errorf("the kept output of %s can't be read: %w", p.rec.ID, err)
	}
	head := min(p.rec.Head, int64(len(b)))
	return keptText{head: string(b[:head]), tail: string(b[head:]), gap: p.rec.Gap, gapLines: p.rec.GapLines, fault: p.rec.Fault}, nil
}

// pick gives at most n lines from line offset on, or the last ones when offset is 0,
// and says which they are. Lines in the gap are named, not shown.
func (k keptText) pick(offset, n int, most int64) (lines, says string) {
	head, tail := text.CountLines(k.head), text.CountLines(k.tail)
	all := head + k.gapLines + tail
	from := offset
	if offset == 0 {
		from = max(1, all-n+1)
	}
	to := min(all, from+n-1)
	switch {
	case all == 0:
		return "", "no output"
	case from > all:
		return "", fmt.Sprintf("the output has %d lines, offset %d is behind its end", all, from)
	}
	says = fmt.Sprintf("lines %d-%d of %d", from, to, all)
	shown := ""
	if from <= head {
		shown = text.Lines(k.head, from, min(to, head))
	}
	first := head + k.gapLines + 1 // the first line of the tail
	if k.gap > 0 && to > head && from < first {
		why := fmt.Sprintf("limit exec.kept_bytes = %d", most)
		if k.fault != "" {
			why = k.fault
		}
		mark := fmt.Sprintf("%d bytes were not kept (%s)", k.gap, why)
		shown = text.EndLine(shown) + "[… " + mark + " …]\n"
		says += "; " + mark
	}
	if k.tail != "" && to >= first {
		shown += text.Lines(k.tail, max(from, first)-first+1, to-first+1)
	}
	return shown, says
}
