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
		layerEnv, layerSession, layerCgroup, layerUser, layerMount, layerPID, layerNet, layerIPC, layerRlimits, layerCaps,
		layerNoPrivs, "landlock-6", layerSeccomp, layerStarts,
	}
	names := append([]string(nil), all...)
	names[11] = layerLandlock
	for name, c := range map[string]struct {
		report Report
		want   map[string][]string
	}{
		"all hold": {Report{Layers: all, User: 1000}, map[string][]string{"holds": names}},
		"root on a Jetson without a unit": {
			Report{Layers: []string{layerEnv, layerSession, layerNoGroup, layerMount, layerPID, layerNet, layerIPC, layerRlimits, layerCaps, layerNoPrivs, layerSeccomp, layerNoStarts}, NoGroup: "no"},
			map[string][]string{
				"holds":      {layerEnv, layerSession, layerMount, layerPID, layerNet, layerIPC, layerRlimits, layerCaps, layerNoPrivs, layerSeccomp},
				"missing":    {layerCgroup, layerLandlock, layerStarts},
				"not needed": {layerUser},
			},
		},
		"no user namespaces": {
			Report{Missing: "namespaces: operation not permitted", User: 1000},
			map[string][]string{
				"missing":   {layerUser, layerMount, layerPID, layerNet, layerIPC},
				"not tried": {layerEnv, layerSession, layerCgroup, layerRlimits, layerCaps, layerNoPrivs, layerLandlock, layerSeccomp, layerStarts},
			},
		},
		"no /proc": {
			Report{Missing: "mount: mount /proc: operation not permitted", User: 1000},
			map[string][]string{
				"missing":   {layerMount},
				"not tried": {layerEnv, layerSession, layerCgroup, layerUser, layerPID, layerNet, layerIPC, layerRlimits, layerCaps, layerNoPrivs, layerLandlock, layerSeccomp, layerStarts},
			},
		},
		"weaker": {
			Report{Layers: []string{layerEnv, layerSession, layerCgroup, layerRlimits, layerCaps, layerNoPrivs, "landlock-1", layerSeccomp, layerStarts}, Missing: "no namespaces", Weaker: true, User: 1000},
			map[string][]string{
				"holds":   {layerEnv, layerSession, layerCgroup, layerRlimits, layerCaps, layerNoPrivs, layerLandlock, layerSeccomp, layerStarts},
				"missing": {layerUser, layerMount, layerPID, layerNet, layerIPC},
			},
		},
	} {
		diff(t, name, states(c.report), c.want)
	}
	diff(t, "all", Report{Layers: all, User: 1000}.String(), "every layer holds")
	diff(t, "few", Report{Layers: all[:11], User: 1000}.String(), "every mandatory layer holds; this machine has no landlock, no seccomp, no starts")
}
