package sandbox

import "testing"

// states are the layers by what became of them.
func states(r Report) map[string][]string {
	out := map[string][]string{}
	for _, l := range r.Each() {
		out[l.State] = append(out[l.State], l.Name)
		if (l.Action != "" || l.Why != "") != (l.State == "missing") {
			out["wrong"] = append(out["wrong"], l.Name)
		}
	}
	return out
}

func TestEachLayerIsTold(t *testing.T) {
	all := []string{
		LayerEnv, LayerSession, LayerCgroup, LayerUser, LayerMount, LayerPID, LayerNet, LayerIPC, LayerRlimits, LayerCaps,
		LayerNoPrivs, "landlock-6", LayerSeccomp, LayerStarts,
	}
	names := append([]string(nil), all...)
	names[11] = LayerLandlock
	for name, c := range map[string]struct {
		report Report
		want   map[string][]string
	}{
		"all hold": {Report{Layers: all, User: 1000}, map[string][]string{"holds": names}},
		"root on a Jetson without a unit": {
			Report{Layers: []string{LayerEnv, LayerSession, LayerNoGroup, LayerMount, LayerPID, LayerNet, LayerIPC, LayerRlimits, LayerCaps, LayerNoPrivs, LayerSeccomp, LayerNoStarts}, NoGroup: "no"},
			map[string][]string{
				"holds":      {LayerEnv, LayerSession, LayerMount, LayerPID, LayerNet, LayerIPC, LayerRlimits, LayerCaps, LayerNoPrivs, LayerSeccomp},
				"missing":    {LayerCgroup, LayerLandlock, LayerStarts},
				"not needed": {LayerUser},
			},
		},
		"no user namespaces": {
			Report{Missing: "namespaces: operation not permitted", User: 1000},
			map[string][]string{
				"missing":   {LayerUser},
				"not tried": {LayerEnv, LayerSession, LayerCgroup, LayerMount, LayerPID, LayerNet, LayerIPC, LayerRlimits, LayerCaps, LayerNoPrivs, LayerLandlock, LayerSeccomp, LayerStarts},
			},
		},
		"no /proc": {
			Report{Missing: "mount: mount /proc: operation not permitted", User: 1000},
			map[string][]string{
				"missing":   {LayerMount},
				"not tried": {LayerEnv, LayerSession, LayerCgroup, LayerUser, LayerPID, LayerNet, LayerIPC, LayerRlimits, LayerCaps, LayerNoPrivs, LayerLandlock, LayerSeccomp, LayerStarts},
			},
		},
		"weaker": {
			Report{Layers: []string{LayerEnv, LayerSession, LayerCgroup, LayerRlimits, LayerCaps, LayerNoPrivs, "landlock-1", LayerSeccomp, LayerStarts}, Missing: "no namespaces", Weaker: true, User: 1000},
			map[string][]string{
				"holds":   {LayerEnv, LayerSession, LayerCgroup, LayerRlimits, LayerCaps, LayerNoPrivs, LayerLandlock, LayerSeccomp, LayerStarts},
				"missing": {LayerUser, LayerMount, LayerPID, LayerNet, LayerIPC},
			},
		},
	} {
		diff(t, name, states(c.report), c.want)
	}
	diff(t, "all", Report{Layers: all, User: 1000}.String(), "every layer holds")
	diff(t, "few", Report{Layers: all[:11], User: 1000}.String(), "every mandatory layer holds; this machine has no landlock, no seccomp, no starts")
}
