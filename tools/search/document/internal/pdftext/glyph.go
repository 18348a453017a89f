package pdftext

import (
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// glyph is what a glyph stands for by its name, as far as names have a system: letters,
// letters with accents, numbers of Unicode, and the common ones besides.
func glyph(name string) string {
	name, _, _ = strings.Cut(name, ".") // a variant: a.alt
	if before, after, joined := strings.Cut(name, "_"); joined && before != "" && len(name) < 32 {
		return glyph(before) + glyph(after)
	}
	if len(name) == 1 {
		return name
	}
	if s, ok := glyphs[name]; ok {
		return s
	}
	if s := numbered(name); s != "" {
		return s
	}
	for _, accent := range accents {
		if base, ok := strings.CutSuffix(name, accent.name); ok && len(base) == 1 {
			return norm.NFC.String(base + accent.mark)
		}
	}
	return ""
}

// numbered reads uni20AC and u1F600.
func numbered(name string) string {
	digits, ok := strings.CutPrefix(name, "uni")
	if ok && len(digits) > 4 {
		digits = digits[:4]
	}
	if !ok {
		if digits, ok = strings.CutPrefix(name, "u"); !ok || len(digits) < 4 || len(digits) > 6 {
			return ""
		}
	}
	n, err := strconv.ParseUint(digits, 16, 21)
	if err != nil || n < ' ' {
		return ""
	}
	return string(rune(n))
}

var accents = []struct{ name, mark string }{
	{"acute", "\u0301"}, {"grave", "\u0300"}, {"circumflex", "\u0302"}, {"dieresis", "\u0308"}, {"tilde", "\u0303"},
	{"ring", "\u030A"}, {"cedilla", "\u0327"}, {"caron", "\u030C"}, {"breve", "\u0306"}, {"macron", "\u0304"},
	{"ogonek", "\u0328"}, {"dotaccent", "\u0307"}, {"hungarumlaut", "\u030B"}, {"commaaccent", "\u0326"},
}

// glyphs are the names without a system, as pairs.
var glyphs = func() map[string]string {
	all := map[string]string{"space": " ", "nbspace": " ", "hyphen": "-", "sfthyphen": "-", "quotedbl": `"`, "grave": "`", "backslash": `\`}
	words := strings.Fields(`
		zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9
		exclam ! numbersign # dollar $ percent % ampersand & quotesingle ' parenleft ( parenright ) asterisk * plus +
		comma , minus - period . slash / colon : semicolon ; less < equal = greater > question ? at @
		bracketleft [ bracketright ] asciicircum ^ underscore _ braceleft { bar | braceright } asciitilde ~
		quoteleft ‘ quoteright ’ quotedblleft “ quotedblright ” quotesinglbase ‚ quotedblbase „ guillemotleft «
		guillemotright » guilsinglleft ‹ guilsinglright › endash – emdash — bullet • ellipsis … dagger † daggerdbl ‡
		ff ff fi fi fl fl ffi ffi ffl ffl ae æ AE Æ oe œ OE Œ oslash ø Oslash Ø germandbls ß dotlessi ı dotlessj ȷ
		lslash ł Lslash Ł eth ð Eth Ð thorn þ Thorn Þ dcroat đ Dcroat Đ
		exclamdown ¡ questiondown ¿ cent ¢ sterling £ yen ¥ Euro € section § paragraph ¶ copyright © registered ®
		trademark ™ degree ° plusminus ± multiply × divide ÷ mu µ onehalf ½ onequarter ¼ threequarters ¾
		ordfeminine ª ordmasculine º periodcentered · arrowright → arrowleft ← arrowup ↑ arrowdown ↓ infinity ∞
		lessequal ≤ greaterequal ≥ notequal ≠ approxequal ≈ summation ∑ product ∏ integral ∫ radical √ partialdiff ∂
		element ∈ logicaland ∧ logicalor ∨ logicalnot ¬ visiblespace ␣
		alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ nu ν xi ξ omicron ο
		pi π rho ρ sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω
		Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω`)
	for i := 0; i+1 < len(words); i += 2 {
		all[words[i]] = words[i+1]
	}
	return all
}()
