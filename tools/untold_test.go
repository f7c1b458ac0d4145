package tools

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
)

// Ends that nobody was told of are counted with a later one of their conversation; the
// last one of each waits until it is told, however many others end.
func TestUntoldEndsAreNotForgottenWithoutAWord(t *testing.T) {
	y := newYard(t, func(c *JobsConfig) { c.Kept = 1 })
	other := person
	other.Session = "bench"
	if _, err := y.Call(t.Context(), other, Call{Name: "exec", Args: json.RawMessage(`{"argv":["cat"],"background":true}`)}, nil); err != nil {
		t.Fatal(err)
	}
	a := <-y.stage.on
	y.says(t, a, "words\n")
	y.over(t, a, Exit{Code: 4})
	for i := 2; i <= 5; i++ {
		y.over(t, y.begin(t, fmt.Sprintf("p%d", i)), Exit{})
		y.jobs.live.Wait()
	}
	for range 2 { // now and after a restart
		hows := map[string]string{}
		for _, r := range y.untold("") {
			hows[r.ID] = r.How + "|" + r.Last
		}
		diff(t, "untold", hows, map[string]string{
			"p1": "exit 4|words\n",
			"p5": "exit 0; earlier ends in this conversation that are forgotten, untold: 3 (exec.kept_jobs = 1; agent audit tail names them)|",
		})
		files, _ := filepath.Glob(y.cfg.Dir + "/*")
		diff(t, "files", files, []string{y.jobs.path("p5")})
		_, err := y.jobs.Show("p1", 0, 10)
		diff(t, "log", fmt.Sprint(err), "the output of p1 was given up, since more than exec.kept_jobs = 1 commands have ended; run it again with its output in a file of the workspace")
		y.open(t)
	}
	y.call(t, "process", `{"action":"poll","id":"p5"}`)
	if err := y.jobs.Told("p1"); err != nil {
		t.Fatal(err)
	}
	y.over(t, y.begin(t, "p6"), Exit{})
	y.jobs.live.Wait()
	diff(t, "once told they go", ids(y.jobs.Known()), "p6")
}
