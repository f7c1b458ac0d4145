package config

import "time"

// Config is every setting. The struct tags are the one table behind parsing,
// ranges, schema and reference: toml (the key), doc (what it means, with its
// unit), min and max (inclusive, in the key's own notation), enum, guard (only
// the operator's own editor changes it: no command and no tool of the agent does).
type Config struct {
	Workspace string `toml:"workspace" env:"HARDSHELL_WORKSPACE" flag:"workspace" doc:"folder that the agent works in; relative to the config file"`
	State     string `toml:"state" guard:"yes" env:"HARDSHELL_STATE" flag:"state" doc:"folder of the store, the socket and kept outputs; relative to the config file"`
	Policy    string `toml:"policy" guard:"yes" env:"HARDSHELL_POLICY" flag:"policy" doc:"policy file; relative to the config file; without one the agent may read the workspace and nothing else"`
	Board     string `toml:"board" env:"HARDSHELL_BOARD" flag:"board" enum:"auto,jetson,sim" doc:"which board: auto finds a Jetson or says that there is none, sim is the simulated one"`
	Zone      string `toml:"zone" doc:"time zone as an IANA name such as Europe/Berlin; empty: the machine's own"`

	Model     Model     `toml:"model"`
	Turn      Turn      `toml:"turn"`
	Approvals Approvals `toml:"approvals"`
	Exec      Exec      `toml:"exec"`
	Prompt    Prompt    `toml:"prompt"`
	Sandbox   Sandbox   `toml:"sandbox"`
	Secrets   Secrets   `toml:"secrets"`
	Gateway   Gateway   `toml:"gateway"`
	Chat      Chat      `toml:"chat"`
	Agents    []Agent   `toml:"agent"`
	Hooks     []Hook    `toml:"hook"`

	// Shared is what agents without a word of their own get where an [[agent]]
	// named main has one; nil where the settings above are for all.
	Shared *Agent `toml:"-"`
	// File is the config file that was read, empty when there was none.
	File string `toml:"-"`
	// From says for each key where its value came from: "default", "line 3",
	// "HARDSHELL_MODEL", "--model".
	From map[string]string `toml:"-"`
	// Warnings are what a person should know about a config that is in force.
	Warnings []Warning `toml:"-"`
}

// Model is the model and its server.
type Model struct {
	Name             string   `toml:"name" env:"HARDSHELL_MODEL" flag:"model" doc:"model to use, as agent model list prints it; empty: the best one that the server has"`
	Host             string   `toml:"host" env:"OLLAMA_HOST" doc:"address of the model server, with or without scheme, port and /v1"`
	NumCtx           int      `toml:"num_ctx" min:"0" max:"1048576" doc:"window in tokens, the same in every request; 0: chosen once for each model, by its size and the free memory, and kept"`
	NumPredict       int      `toml:"num_predict" min:"16" max:"32768" doc:"most tokens that one reply may have"`
	KeepAlive        Duration `toml:"keep_alive" min:"1s" max:"8760h" forever:"yes" doc:"how long the server keeps the model loaded after a request; \"forever\" never lets go of it"`
	WarmUp           bool     `toml:"warm_up" doc:"have the server read what the next turn needs while nobody talks: at the start of serve and chat, and whenever something else took its place"`
	WarmUpMaxTemp    int      `toml:"warm_up_max_temp" min:"0" max:"120" doc:"soft limit of the board's temperature, in degrees Celsius: above it the server reads nothing ahead of need, and the model is told; 0: none"`
	SubSlot          bool     `toml:"sub_slot" doc:"also have the server read what sub-agents begin with, into a slot of its own, before there is one; without it that happens before the first sub-agent; needs OLLAMA_NUM_PARALLEL=2 or more, agent status shows what was found"`
	Think            string   `toml:"think" enum:"off,low,medium,high" doc:"how much the model thinks before it answers; /think changes it for one conversation"`
	Reasoning        string   `toml:"reasoning" enum:"off,on,stream" doc:"what is shown of the thinking: nothing, one block before the answer, each piece as it comes; /reasoning changes it for one conversation"`
	Temperature      *float64 `toml:"temperature" min:"0" max:"2" doc:"sampling temperature; unset: the model's own"`
	ConnectTimeout   Duration `toml:"connect_timeout" min:"100ms" max:"1m" doc:"longest wait for a connection to the model server"`
	FirstByteTimeout Duration `toml:"first_byte_timeout" min:"1s" max:"2h" doc:"longest wait for the first piece of a reply, loading the model and reading the prompt included"`
	IdleTimeout      Duration `toml:"idle_timeout" min:"1s" max:"1h" doc:"longest silence within a streamed reply"`
	Aliases          Names    `toml:"aliases" doc:"short names for models: fast = \"qwen3:1.7b\"; --model, /model and [[agent]] take them"`
}

// Names are names that stand for others.
type Names map[string]string

// Turn bounds one turn.
type Turn struct {
	MaxQuestion ByteSize `toml:"max_question" min:"1KiB" max:"1MiB" doc:"longest message"`
	MaxSteps    int      `toml:"max_steps" min:"1" max:"1000" doc:"model requests in one turn"`
	MaxCalls    int      `toml:"max_calls" min:"0" max:"1000" doc:"tool calls in one turn"`
	MaxTime     Duration `toml:"max_time" min:"1s" max:"24h" doc:"wall time of one turn, waiting for a person included"`
	MaxWakes    int      `toml:"max_wakes" min:"0" max:"1000" doc:"turns in a row that a session is woken to, by the end of a command for instance, without a person having spoken"`
}

// Approvals bounds questions to a person.
type Approvals struct {
	Deadline Duration `toml:"deadline" guard:"yes" min:"5s" max:"24h" doc:"how long a question stays open; then it counts as denied"`
}

// Exec bounds one command.
type Exec struct {
	Timeout     Duration `toml:"timeout" min:"100ms" max:"24h" doc:"time of a command that asked for none"`
	MaxTimeout  Duration `toml:"max_timeout" min:"1s" max:"24h" doc:"longest time that a command may ask for"`
	OutputBytes ByteSize `toml:"output_bytes" min:"256B" max:"1MiB" doc:"output of a command that the model gets, head and tail; the rest is cut and said so"`
	OutputLines int      `toml:"output_lines" min:"10" max:"100000" doc:"lines of output that the model gets"`
	Memory      ByteSize `toml:"memory" min:"32MiB" max:"1024GiB" doc:"memory of a command and all that it starts; of each of its processes where the agent has no cgroup of its own"`
	Processes   int      `toml:"processes" min:"32" max:"100000" doc:"processes and threads of a command at one time"`
	CPUs        float64  `toml:"cpus" min:"0" max:"1024" doc:"processors' worth of time that a command may use; 0: all; needs a cgroup"`
	MaxJobs     int      `toml:"max_jobs" min:"1" max:"100" doc:"commands that may run in the background at once"`
	KeptJobs    int      `toml:"kept_jobs" min:"1" max:"1000" doc:"ended commands of the background that stay known, with their output"`
	KeptBytes   ByteSize `toml:"kept_bytes" min:"128KiB" max:"1GiB" doc:"output of one command in the background that is kept in the state folder, its start and its last 64 KiB"`
}

// Prompt bounds what the prompt may take and says what stands in it.
type Prompt struct {
	FileChars   int     `toml:"bootstrap_max_chars" min:"200" max:"1000000" doc:"characters of one workspace file in the prompt"`
	TotalChars  int     `toml:"bootstrap_total_max_chars" min:"200" max:"4000000" doc:"characters of all workspace files in the prompt"`
	WindowShare float64 `toml:"bootstrap_window_share" min:"0.01" max:"0.9" doc:"share of the model's window that the workspace files may take"`
	SkillsChars int     `toml:"max_skills_prompt_chars" min:"200" max:"1000000" doc:"characters of the list of skills in the prompt"`
	TimeFormat  string  `toml:"time_format" enum:"24h,12h" doc:"how times of day are written for the model"`
	CutNotice   string  `toml:"truncation_notice" enum:"off,once,always" doc:"how the model is told of shortened workspace files besides the marks in them: off, once in the system text, always also with every message"`
	Citations   string  `toml:"memory_citations" enum:"auto,on,off" doc:"whether the model is asked for path and line of what memory gave; auto: where the window has 8192 tokens or more"`
	Delegation  string  `toml:"delegation" enum:"suggest,prefer" doc:"prefer tells the model to hand legwork to sub-agents, where they exist"`
	ReplyTags   bool    `toml:"reply_tags" doc:"tell the model how an answer attaches a file: [[file:PATH]] on a line of its own"`
}

// Sandbox says what confinement may be missing.
type Sandbox struct {
	WeakerOK bool `toml:"weaker_ok" guard:"yes" doc:"run commands also where the kernel lacks a layer of confinement; each result then says which"`
}

// Secrets are masked in transcripts, logs, results and the model's copy.
type Secrets struct {
	Names  []string `toml:"names" guard:"yes" doc:"names of environment variables whose values are masked"`
	Values []string `toml:"values" guard:"yes" secret:"yes" doc:"values that are masked, each of 6 characters or more"`
}

// Gateway is the agent's own server besides its unix socket.
type Gateway struct {
	Listen string `toml:"listen" guard:"yes" doc:"loopback address and port of the console page, such as 127.0.0.1:8700; empty: off. This version has no page yet and says so"`
}

// Chat is the conversation at a terminal.
type Chat struct {
	History int `toml:"history" min:"0" max:"100000" doc:"input lines kept in the state folder for the arrow keys; 0: none"`
}

// Warning is something that a person should know about a config in force.
type Warning struct {
	Key     string `json:"key"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Default is a config in which nobody has set anything. Its folders are empty:
// they depend on the machine, see Load.
func Default() Config {
	return Config{
		Board: "auto",
		Model: Model{
			Host: "127.0.0.1:11434", NumPredict: 1024, WarmUp: true, WarmUpMaxTemp: 80, Think: "off", Reasoning: "off", Aliases: Names{}, KeepAlive: Duration(30 * time.Minute),
			ConnectTimeout: Duration(3 * time.Second), FirstByteTimeout: Duration(10 * time.Minute), IdleTimeout: Duration(90 * time.Second),
		},
		Turn:      Turn{MaxQuestion: 32 << 10, MaxSteps: 24, MaxCalls: 48, MaxTime: Duration(15 * time.Minute), MaxWakes: 10},
		Approvals: Approvals{Deadline: Duration(10 * time.Minute)},
		Exec:      Exec{Timeout: Duration(time.Minute), MaxTimeout: Duration(30 * time.Minute), OutputBytes: 8 << 10, OutputLines: 200, Memory: 2 << 30, Processes: 512, MaxJobs: 8, KeptJobs: 20, KeptBytes: 4 << 20},
		Prompt:    Prompt{FileChars: 20000, TotalChars: 60000, WindowShare: 0.30, SkillsChars: 6000, TimeFormat: "24h", CutNotice: "once", Citations: "auto", Delegation: "suggest"},
		Secrets:   Secrets{Names: []string{}, Values: []string{}},
		Chat:      Chat{History: 500},
		Agents:    []Agent{},
		Hooks:     []Hook{},
	}
}
