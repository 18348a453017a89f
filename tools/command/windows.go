package command

import (
	"regexp"
	"strings"
	"sync"
)

// textRule refuses a command in a text that is not parsed. All expressions must match; the first begins at the command's name.
type textRule struct {
	rule rule
	why  string
	all  []*regexp.Regexp
}

// commandStart returns the expression for the text between commands.
var commandStart = onceExpression(`(?i)[&|;(){}@\r\n]|\b(?:do|then|else|call|start|exist\s+\S+|` +
	`(?:powershell|pwsh|cmd|(?:ba)?sh)(?:\.exe)?(?:\s+-ex\w*\s+\w+|\s+[-/]\w+)*)\s`)

// onceExpression compiles an expression when it is first needed: most commands are parsed, and need none.
func onceExpression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// commandsOf splits a text that is not parsed into possible commands.
func commandsOf(text string) []string {
	parts := commandStart().Split(text, -1)
	for i, part := range parts {
		parts[i] = strings.Trim(part, " \t\"'")
	}
	return parts
}

// wideTarget is a drive, the system or a home as an argument, or everything in it.
const wideTarget = `(?:^|[\s"',:])(?:[a-z]:(?:[\\/]+(?:users(?:[\\/][^\\/\s"']*)?[\\/]?)?)?|[a-z]:[\\/]+(?:windows|program files|programdata)\b[^\s"']*|[\\/]|~|\$home|` +
	`\$env:(?:userprofile|systemroot|systemdrive|windir|homepath)|%(?:userprofile|systemroot|systemdrive|windir|homepath)%)[\\/]*(?:\*(?:\.\*)?)?(?:$|[\s"',])`

// textRules returns the rules for every command of a text that is not parsed.
var textRules = sync.OnceValue(newTextRules)

func newTextRules() []textRule {
	rule := func(rule rule, why string, all ...string) textRule {
		t := textRule{rule: rule, why: why}
		for i, text := range all {
			if i == 0 {
				text = "^(?:" + text + `)(?:\.exe|\.com)?["']?(?:$|[\s/])`
			}
			t.all = append(t.all, regexp.MustCompile("(?i)"+text))
		}
		return t
	}
	return []textRule{
		rule(ruleDevice, "it formats a drive", `format`, `\s"?[a-z]:`),
		rule(ruleDelete, "it deletes a whole tree without asking", `del|erase`, `/f`, `/s`, `/q`),
		rule(ruleDelete, "it deletes a drive, the system or a home", `del|erase|rd|rmdir`, `/s`, wideTarget),
		rule(ruleDelete, "it deletes a drive, the system or a home", `remove-item|ri|rm|rd|rmdir|del|erase`, `\s-r(?:ec?u?r?s?e?)?\b`, wideTarget),
		rule(ruleDelete, "it deletes the root or a home", `rm`, `\s-\w*r|\s--recursive`, `[\s"'](?:/|~|\$HOME)[/*"']*(?:\s|$)`),
		rule(ruleDelete, "it deletes with the rights of the administrator", `(?:sudo|doas)\s+(?:rm|rmdir|unlink|shred)`),
		rule(ruleDevice, "it changes disks", `diskpart|format-volume|clear-disk|initialize-disk|remove-partition|mkfs\S*`),
		rule(ruleDevice, "dd copies raw blocks", `dd`, `\sif=`),
		rule(ruleSystem, "it stops or restarts the machine", `shutdown`, `\s[-/][srph]\b`),
		rule(ruleSystem, "it stops or restarts the machine", `stop-computer|restart-computer`),
	}
}

// downloadedText is PowerShell that runs its download, wholeDevice a redirection to a disk, and forkBomb a function that calls itself twice.
var (
	downloadedText = onceExpression(`(?i)\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)\b[^\n]*\|\s*(?:iex|invoke-expression)\b|` +
		`\b(?:iex|invoke-expression)\b[^\n]*\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)\b`)
	wholeDevice = onceExpression(`>\s*/dev/(?:sd|hd|vd|nvme|mmcblk|disk)`)
	forkBomb    = onceExpression(`:\(\)\s*\{\s*:\s*\|\s*:`)
)

// text checks a script that is not parsed, for the reason why.
func (k *checker) text(text, why string) {
	k.windowsText(text)
	line, _, _ := strings.Cut(text, "\n")
	k.unclear([]string{line}, "%s", why)
	if len(k.policy.Denied) == 0 {
		return
	}
	for _, part := range commandsOf(text) {
		words := strings.Fields(strings.NewReplacer(`"`, " ", "'", " ").Replace(part))
		if len(words) > 0 && k.step() {
			k.denied(program(words[0]), words)
		}
	}
}

// windowsText applies textRules to the commands of a text.
func (k *checker) windowsText(text string) {
	switch {
	case downloadedText().MatchString(text):
		k.refuse(ruleRemote, []string{text}, "it runs downloaded text that the user has not seen")
	case wholeDevice().MatchString(text):
		k.refuse(ruleDevice, []string{text}, "it writes to a disk")
	case forkBomb().MatchString(text):
		k.refuse(ruleBomb, []string{text}, "it starts itself again and again")
	}
	for _, part := range commandsOf(text) {
		if part == "" || !k.step() {
			continue
		}
		for _, t := range textRules() {
			if t.matches(part) {
				k.refuse(t.rule, []string{part}, "%s", t.why)
			}
		}
	}
}

func (t textRule) matches(text string) bool {
	for _, expression := range t.all {
		if !expression.MatchString(text) {
			return false
		}
	}
	return true
}
