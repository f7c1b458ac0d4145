package rig
import "regexp"
var timeRe = regexp.MustCompile(`--- (?:PASS|FAIL)\S*: \S+ \(([0-9.]+)s\)`)
