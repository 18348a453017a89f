package build

import "strings"

// managerParser understands npm, yarn and pnpm where they speak themselves:
//
//	npm error code ERESOLVE
//	npm error ERESOLVE unable to resolve dependency tree
type managerParser struct {
	block
	told int // lines of the message
}

func (c *managerParser) end(r *report) { c.block.end(r) }

// maxTold is the most lines of a message of npm; usage information follows it.
const maxTold = 8

func (c *managerParser) line(r *report, s string) verdict {
	text, npm := strings.CutPrefix(s, "npm error")
	if !npm {
		text, npm = strings.CutPrefix(s, "npm ERR!")
	}
	if npm {
		if !c.open {
			c.begin(Problem{Severity: Error, Source: "npm"})
			c.told = 0
		}
		c.npm(strings.TrimSpace(text))
		return more
	}
	if c.open {
		if c.Message == "" && c.tick() && c.pnpm(s) {
			return more
		}
		c.end(r)
		return pass
	}
	if strings.HasPrefix(s, "npm ") {
		return taken
	}
	p, consequence, ok := manager(r.system, s)
	switch {
	case !ok:
		return pass
	case p.Message == "": // it follows
		c.begin(p)
		return more
	}
	r.add(p, consequence)
	return taken
}

// pnpm takes the message that follows a code.
func (c *managerParser) pnpm(s string) bool {
	if message, _, ok := marked(strings.TrimSpace(s)); ok {
		c.add(message)
		return true
	}
	return s == "" && c.lines < 3
}

func (c *managerParser) npm(text string) {
	if code, ok := strings.CutPrefix(text, "code "); ok && c.Code == "" {
		c.Code = code
		c.consequence = code == "ELIFECYCLE"
		return
	}
	if text == "" || c.told >= maxTold || strings.HasPrefix(text, "A complete log") || strings.HasPrefix(text, "Clean install") {
		if c.Message != "" {
			c.told = maxTold
		}
		return
	}
	c.consequence = c.consequence || strings.HasPrefix(text, "Lifecycle script ")
	c.told++
	c.add(text)
}

// berry are the codes of Yarn that mean failure.
var berry = map[string]bool{"YN0001": true, "YN0009": true, "YN0010": true, "YN0016": true, "YN0018": true, "YN0020": true, "YN0027": true, "YN0028": true, "YN0035": true, "YN0041": true}

func manager(system System, s string) (p Problem, consequence, ok bool) {
	text := strings.TrimSpace(s)
	if text == "" {
		return p, false, false
	}
	p = Problem{Severity: Error, Source: string(system)}
	switch {
	case strings.HasPrefix(text, "➤ YN"):
		code, message, found := strings.Cut(text[len("➤ "):], ": ")
		p.Source, p.Code = "yarn", code
		p.Message = strings.TrimLeft(message, "│┌└ ")
		return p, false, found && berry[code]
	case strings.HasPrefix(s, "Usage Error: "), strings.HasPrefix(s, "Internal Error: "):
		p.Source, p.Message = "yarn", s
		return p, false, true
	case strings.HasPrefix(s, "error ") && system == Yarn:
		p.Message = s[len("error "):]
		return p, consequent(p.Message), true
	case strings.HasPrefix(text, "ERR_PNPM_"), strings.HasPrefix(text, "[ERR_PNPM_"), strings.HasPrefix(text, "Error: ERR_PNPM_"):
		p.Source = "pnpm"
		p.Code, p.Message, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(text, "Error: "), "["), " ")
		p.Code = strings.TrimSuffix(p.Code, "]")
		return p, false, true
	case strings.HasPrefix(text, "ELIFECYCLE"), strings.HasPrefix(text, "[ELIFECYCLE]"):
		p.Source, p.Code = "pnpm", "ELIFECYCLE"
		p.Message = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(text, "["), "ELIFECYCLE"))
		p.Message = strings.TrimSpace(strings.TrimPrefix(p.Message, "]"))
		return p, true, true
	}
	return p, false, false
}
