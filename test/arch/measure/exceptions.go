package measure

// Shown are exported names that only tests of other packages use, and what for.
var Shown = map[string]string{
	"runtime/config.Default": "a test of the app starts from what holds without a file",
	"runtime/config.Fields":  "a test of the app goes through all keys: each has an effect, an overlay has a family",
	"assembly.Families":      "the same test",
	"policy/source.MaxFile":  "a test of package policy writes a file that is longer",
	"hw.Readings.Above":      "limits of heat and power ask it: they come with the power tool",
}

// Free are names of types that packages which meet may share, and why.
var Free = map[string]string{
	"Config": "what a package's constructor takes: it is said with its package's name",
}

// Crowded are packages that may have more files than the budget, and why.
var Crowded = map[string]string{
	"cmd/agent": "one file a command: its terminal parts and what puts agents together have packages of their own",
}

// The budgets of the house.
const (
	MethodBudget     = 30
	PackageBudget    = 25
	ComplexityBudget = 20
)
