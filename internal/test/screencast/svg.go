//go:build unix

package screencast

import (
	"fmt"
	"image/color"

	"strings"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Frame is a screen of a picture.
type Frame struct {
	Screen Screen
	// Shown is the time for which an animation shows the screen.
	Shown time.Duration
}

// Measures of a picture in pixels.
const (
	columnWidth = 8.4
	rowHeight   = 17
	fontSize    = 14
	margin      = 14
	titleHeight = 30
)

// The colors of the terminal. It is dark in pages of both kinds, because programs choose their colors for one background.
var (
	terminalBackground = color.RGBA{0x16, 0x1b, 0x22, 0xff}
	terminalText       = color.RGBA{0xd6, 0xdb, 0xe1, 0xff}
	palette            = [16]color.RGBA{
		{0x48, 0x4f, 0x58, 0xff}, {0xff, 0x7b, 0x72, 0xff}, {0x56, 0xd3, 0x64, 0xff}, {0xe3, 0xb3, 0x41, 0xff},
		{0x79, 0xc0, 0xff, 0xff}, {0xd2, 0xa8, 0xff, 0xff}, {0x76, 0xe3, 0xea, 0xff}, {0xd6, 0xdb, 0xe1, 0xff},
		{0x8b, 0x94, 0x9e, 0xff}, {0xff, 0xa1, 0x98, 0xff}, {0x7e, 0xe7, 0x87, 0xff}, {0xf2, 0xcc, 0x60, 0xff},
		{0xa5, 0xd6, 0xff, 0xff}, {0xe2, 0xc5, 0xff, 0xff}, {0xb3, 0xf0, 0xff, 0xff}, {0xff, 0xff, 0xff, 0xff},
	}
)

// SVG returns a picture that shows the frames in turn, with a title above them. It repeats them for ever by an animation in CSS; the
// last frame is shown where pictures are not animated. Texts are texts, and a row that several frames share is drawn once.
func SVG(title string, frames []Frame) []byte {
	p := painter{rows: map[string]int{}, styles: map[string]string{}}
	columns, rows := frames[0].Screen.columns, len(frames[0].Screen.rows)
	width, height := float64(columns)*columnWidth+2*margin, float64(rows*rowHeight+margin+titleHeight)
	var total time.Duration
	for _, f := range frames {
		total += f.Shown
	}
	var groups, animations strings.Builder
	var begin time.Duration
	for i, f := range frames {
		share := func(d time.Duration) float64 { return 100 * float64(d) / float64(total) }
		last := i == len(frames)-1
		rest := 0 // opacity without an animation
		if last {
			rest = 1
		}
		fmt.Fprintf(&animations, "#f%d{opacity:%d;animation:k%d %.1fs step-end infinite}", i, rest, i, total.Seconds())
		fmt.Fprintf(&animations, "@keyframes k%d{0%%{opacity:%d}", i, map[bool]int{true: 1}[i == 0])
		if i > 0 {
			fmt.Fprintf(&animations, "%.2f%%{opacity:1}", share(begin))
		}
		if !last {
			fmt.Fprintf(&animations, "%.2f%%{opacity:0}", share(begin+f.Shown))
		}
		animations.WriteString("}\n")
		begin += f.Shown
		fmt.Fprintf(&groups, "<g id=\"f%d\">%s</g>\n", i, p.frame(f.Screen))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %[1]g %[2]g\" role=\"img\">\n<title>%s</title>\n", width, height, escape(title))
	fmt.Fprintf(&b, "<style>text{font:%dpx ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:%s;white-space:pre}.t{font-family:system-ui,sans-serif;fill:#8b949e}\n", fontSize, hex(terminalText))
	for _, rule := range p.rules {
		b.WriteString(rule)
	}
	fmt.Fprintf(&b, "\n%s@media(prefers-reduced-motion:reduce){g{animation:none!important}}</style>\n", animations.String())
	fmt.Fprintf(&b, "<rect width=\"%g\" height=\"%g\" rx=\"8\" fill=\"%s\" stroke=\"#484f58\"/>\n", width, height, hex(terminalBackground))
	fmt.Fprintf(&b, "<text class=\"t\" x=\"%g\" y=\"20\" text-anchor=\"middle\">%s</text>\n<defs>\n", width/2, escape(title))
	for i, row := range p.drawn {
		fmt.Fprintf(&b, "<g id=\"r%d\">%s</g>\n", i, row)
	}
	fmt.Fprintf(&b, "</defs>\n%s</svg>\n", groups.String())
	return []byte(b.String())
}

// painter draws rows and collects them with their styles.
type painter struct {
	rows   map[string]int // index in drawn
	drawn  []string
	styles map[string]string // class by declarations
	rules  []string
}

// frame returns the references to the rows of a screen.
func (p *painter) frame(s Screen) string {
	var b strings.Builder
	for y, row := range s.rows {
		drawn := p.row(row)
		if drawn == "" {
			continue
		}
		index, exists := p.rows[drawn]
		if !exists {
			index = len(p.drawn)
			p.rows[drawn], p.drawn = index, append(p.drawn, drawn)
		}
		fmt.Fprintf(&b, "<use href=\"#r%d\" x=\"%d\" y=\"%d\"/>", index, margin, titleHeight+y*rowHeight)
	}
	return b.String()
}

// row draws a row at the origin. Each run of equal style has its own position and length, so that fonts of other widths do not
// shift columns.
func (p *painter) row(row []cell) string {
	for len(row) > 0 && row[len(row)-1].isBlank() {
		row = row[:len(row)-1]
	}
	var backgrounds, texts strings.Builder
	x := 0
	for i := 0; i < len(row); {
		begin, first := x, row[i]
		var run strings.Builder
		for ; i < len(row) && row[i].style.Equal(&first.style); i++ {
			run.WriteString(row[i].text)
			x += row[i].columns
		}
		foreground, background := first.colors()
		if background != nil {
			fmt.Fprintf(&backgrounds, "<path class=\"%s\" d=\"M%g 0h%gv%dH%[2]gz\"/>", p.class("fill:"+hex(background)), units(begin), units(x-begin), rowHeight)
		}
		text := strings.TrimRight(run.String(), " ")
		if first.style.Underline == 0 {
			trimmed := strings.TrimLeft(text, " ")
			begin += len(text) - len(trimmed)
			text = trimmed
		}
		if text == "" {
			continue
		}
		class := ""
		if declarations := declare(first.style, foreground); declarations != "" {
			class = fmt.Sprintf(" class=\"%s\"", p.class(declarations))
		}
		columns := x - begin - (len(run.String()) - len(strings.TrimRight(run.String(), " ")))
		fmt.Fprintf(&texts, "<text%s x=\"%g\" y=\"%d\" textLength=\"%g\" lengthAdjust=\"spacingAndGlyphs\">%s</text>", class, units(begin), fontSize, units(columns), escape(text))
	}
	return backgrounds.String() + texts.String()
}

// declare returns the declarations of CSS for a text.
func declare(s uv.Style, foreground color.Color) string {
	var all []string
	if foreground != nil {
		all = append(all, "fill:"+hex(foreground))
	}
	for _, a := range []struct {
		attribute   uint8
		declaration string
	}{{uv.AttrBold, "font-weight:bold"}, {uv.AttrFaint, "opacity:.6"}, {uv.AttrItalic, "font-style:italic"}, {uv.AttrStrikethrough, "text-decoration:line-through"}, {uv.AttrConceal, "opacity:0"}} {
		if s.Attrs&a.attribute != 0 {
			all = append(all, a.declaration)
		}
	}
	if s.Underline != 0 {
		all = append(all, "text-decoration:underline")
	}
	return strings.Join(all, ";")
}

// class returns the class with the declarations.
func (p *painter) class(declarations string) string {
	name, exists := p.styles[declarations]
	if !exists {
		name = fmt.Sprintf("c%d", len(p.styles))
		p.styles[declarations] = name
		p.rules = append(p.rules, fmt.Sprintf(".%s{%s}", name, declarations))
	}
	return name
}

// units returns a number of columns in pixels.
func units(columns int) float64 { return float64(columns*84) / 10 }

// hex returns a color in the notation of CSS. The first 16 colors of terminals come from the palette.
func hex(c color.Color) string {
	switch n := c.(type) {
	case ansi.BasicColor:
		c = palette[n&15]
	case ansi.IndexedColor:
		if n < 16 {
			c = palette[n]
		}
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\"", "&quot;").Replace(text)
}
