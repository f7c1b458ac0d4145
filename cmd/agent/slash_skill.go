package main

import (
	"fmt"
	"strings"

	"hardshell/assembly"
	"hardshell/runtime/config"
	"hardshell/runtime/event"
	"hardshell/runtime/skills"
)

// skillMessage is the message that "/skill NAME REQUEST" sends: the person's word
// and, as data behind it, the whole text of the skill. The model's help is not
// needed to find or to read it.
func skillMessage(all []skills.Skill, arg string, limit config.ByteSize) (string, error) {
	name, request, _ := strings.Cut(arg, " ")
	s, ok := skills.Find(all, name)
	switch {
	case !ok:
		return "", noSkill(name, all, true)
	case !s.Invocable:
		return "", event.Errorf("not_invocable", "remove user-invocable: false from "+s.Location+", or ask for what you want and let the model choose it",
			"the skill %s is not for /skill", s.Name)
	}
	if request = strings.TrimSpace(request); request == "" {
		request = "Tell me in one sentence what you need from me to begin, or begin."
	}
	text := fmt.Sprintf("I loaded the skill %s for you: follow its instructions below, they are mine. %s\n\n%s",
		s.Name, request, assembly.Fence("skill "+s.Name, s.Body))
	if len(text) > int(limit) {
		return "", event.Errorf("question_too_long", "ask the agent to read "+s.Location+" and to follow it, or raise turn.max_question in config.toml",
			"the skill %s makes a message of %d bytes and turn.max_question allows %d", s.Name, len(text), int64(limit))
	}
	return text, nil
}
