package assembly

// group says what a mark is to a model, the more dangerous first.
type group uint8

const (
	// roles end a message or begin one. A tokenizer reads them as control tokens
	// wherever they stand in a prompt.
	roles group = iota
	// frames stand around calls, results and thoughts within a message.
	frames
	// ours are the marks of this package.
	ours
)

// mark is a word that means something behind an opening bracket. An open one goes on
// as it likes; the others end where a word ends.
type mark struct {
	text  string
	group group
	open  bool
}

// angled are the marks behind "<" and "</", in lower case: those of ChatML, Llama,
// DeepSeek, Gemma, FunctionGemma, Granite and SmolLM (whose vocabularies come from
// code models), and our own.
var angled = []mark{
	{"|", roles, true},
	{"<sys", roles, true},
	{"</sys", roles, true},
	{"start_of_", roles, true},
	{"end_of_", roles, true},
	{"start_function_", roles, true},
	{"end_function_", roles, true},
	{"unused", roles, true},
	{"fim_", roles, true},
	{"issue_", roles, true},
	{"jupyter_", roles, true},
	{"commit_", roles, true},
	{"gh_stars", roles, false},
	{"repo_name", roles, false},
	{"reponame", roles, false},
	{"file_sep", roles, false},
	{"filename", roles, false},
	{"empty_output", roles, false},
	{"escape", roles, false},
	{"s>", roles, true},
	{"bos", roles, false},
	{"eos", roles, false},
	{"bos_token", roles, false},
	{"eos_token", roles, false},
	{"pad", roles, false},
	{"unk", roles, false},
	{"mask", roles, false},
	{"sop", roles, false},
	{"eop", roles, false},

	{"tool", frames, false},
	{"tools", frames, false},
	{"tool_", frames, true},
	{"function", frames, false},
	{"functions", frames, false},
	{"function_", frames, true},
	{"parameter", frames, false},
	{"think", frames, false},
	{"thinking", frames, false},
	{"final", frames, false},
	{"seed:", frames, true},

	{"file", ours, false},
	{"data", ours, false},
	{"skills", ours, false},
	{"context", ours, false},
}

// squared are the marks behind "[" and "[/": those of Mistral and Llama 2, and our
// own. The bracket is part of them, since prose stands in brackets too.
var squared = []mark{
	{"inst]", roles, true},
	{"system_prompt]", roles, true},
	{"gmask]", roles, true},
	{"img]", roles, true},

	{"tool_calls]", frames, true},
	{"tool_results]", frames, true},
	{"available_tools]", frames, true},
	{"tool_content]", frames, true},
	{"args]", frames, true},
	{"call_id]", frames, true},
	{"think]", frames, true},
	{"hardshell:", frames, true},

	{"missing]", ours, true},
	{"left out]", ours, true},
	{"unreadable]", ours, true},
}

// marksOf gives the marks behind a bracket, in its narrow and its wide form.
func marksOf(opener rune) []mark {
	switch opener {
	case '<', '＜', '﹤':
		return angled
	case '[', '［', '﹝':
		return squared
	}
	return nil
}
