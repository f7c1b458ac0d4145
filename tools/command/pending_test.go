package command

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"hardshell/tools"
	"hardshell/tools/toolstest"
)

// Ends that nobody was told of are counted with a later one of their conversation; the
// last one of each waits until it is told, however many others end.
func TestPendingEndsAreNotForgottenWithoutAWord(t *testing.T) {
	y := newYard(t, func(c *ProcessesConfig) { c.Kept = 1 })
	other := toolstest.Person
	other.Session = "bench"
	if _, err := y.Call(t.Context(), other, tools.Call{Name: "exec", Args: json.RawMessage(`{"argv":["cat"],"background":true}`)}, nil); err != nil {
		t.Fatal(err)
	}
	a := <-y.stage.on
	y.says(t, a, "words\n")
	y.over(t, a, tools.Exit{Code: 4})
	for i := 2; i <= 5; i++ {
		y.over(t, y.begin(t, fmt.Sprintf("p%d", i)), tools.Exit{})
		y.keeper.live.Wait()
	}
	for range 2 { // now and after a restart
		hows := map[string]string{}
		for _, r := range y.pending("") {
			hows[r.ID] = r.How + "|" + r.Last
		}
		toolstest.Diff(t, "pending", hows, map[string]string{
			"p1": "exit 4|words\n",
			"p5": "exit 0; earlier ends in this conversation that are forgotten, untold: 3 (exec.kept_jobs = 1; agent audit tail names them)|",
		})
		files, _ := filepath.Glob(y.cfg.Dir + "/*")
		toolstest.Diff(t, "files", files, []string{y.keeper.path("p5")})
		_, err := y.keeper.Show("p1", 0, 10)
		toolstest.Diff(t, "log", fmt.Sprint(err), "the output of p1 was given up, since more than exec.kept_jobs = 1 commands have ended; run it again with its output in a file of the workspace")
		y.open(t)
	}
	y.Do(t, "process", `{"action":"poll","id":"p5"}`)
	if err := y.keeper.Delivered("p1"); err != nil {
		t.Fatal(err)
	}
	y.over(t, y.begin(t, "p6"), tools.Exit{})
	y.keeper.live.Wait()
	toolstest.Diff(t, "once told they go", ids(y.keeper.Known()), "p6")
}
