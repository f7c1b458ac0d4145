package policy

// script judges shell text.
func (h *hearing) script(ctx context, text string) {
	h.deny("builtin.shell", "shell text is not judged yet", "use argv")
}

func (h *hearing) shellWord(ctx context, ws []word) bool { return false }
