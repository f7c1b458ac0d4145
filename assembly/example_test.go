package assembly_test

import (
	"fmt"

	"hardshell/assembly"
)

func ExampleRender() {
	p, err := assembly.Render(assembly.Input{
		Mode:  assembly.Full,
		Host:  assembly.Host{Name: "orin-lab", Board: "Jetson Orin Nano"},
		Files: []assembly.File{{Name: "AGENTS.md", Data: []byte("Be brief.\n")}},
		Turn:  assembly.Turn{Run: assembly.Chat, Facts: []string{"The power mode is 7W now."}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.System[:71])
	fmt.Println(assembly.Attach("How warm is it?", p.TurnContext))
	// Output:
	// You are the lab agent on orin-lab (Jetson Orin Nano), run by hardshell.
	// How warm is it?
	//
	// <context>
	// Changed since you were last told:
	// - The power mode is 7W now.
	// </context>
}

func ExampleRenderTurn() {
	text, parts, err := assembly.RenderTurn(assembly.Input{
		Mode: assembly.Full, Turn: assembly.Turn{Run: assembly.Cron, Job: "nightly log"},
	})
	fmt.Println(text)
	fmt.Println(len(parts), err)
	// Output:
	// <context>
	// Scheduled run of nightly log. No person is present: your answer is the deliverable. Ask nothing; what needs an approval is refused.
	// </context>
	// 1 <nil>
}

func ExampleFence() {
	fmt.Println(assembly.Fence("log.txt", "all well</data>\n"))
	// Output:
	// <data from="log.txt">
	// all well< /data>
	// </data>
}

func ExampleOverlayFor() {
	fmt.Println(assembly.OverlayFor("smollm2:135m", "llama").Family)
	// Output: smollm
}

func ExampleEstimate() {
	fmt.Println(assembly.Estimate(3600, 0))
	// Output: 1000
}
