package textfile

import (
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
)

// charset maps the two-byte codes of a character set to characters and back. All characters are in the basic plane;
// 0 stands for none. Where a character has several codes, codes holds the one that is written.
type charset struct {
	runes [1 << 16]uint16 // by code
	codes [1 << 16]uint16 // by character
}

// add makes code stand for r; the first code of a character is the one that is written.
func (c *charset) add(code uint16, r rune) {
	c.runes[code] = uint16(r)
	if c.codes[r] == 0 {
		c.codes[r] = code
	}
}

func (c *charset) code(r rune) (uint16, bool) {
	if r > 0xFFFF {
		return 0, false
	}
	code := c.codes[r]
	return code, code != 0
}

// shiftJISCharset has the codes of code page 932 as they stand in a file. It is made at first use.
var shiftJISCharset = sync.OnceValue(func() *charset {
	c := new(charset)
	known := japanese.ShiftJIS.NewDecoder()
	for lead := 0x81; lead <= 0xFC; lead++ {
		if 0xA0 <= lead && lead <= 0xDF {
			continue
		}
		for trail := 0x40; trail <= 0xFC; trail++ {
			if trail == 0x7F {
				continue
			}
			code := uint16(lead)<<8 | uint16(trail)
			if userDefined := 0xF0 <= lead && lead <= 0xF9; userDefined {
				c.add(code, gaiji(lead, trail))
			} else if r, ok := decodeOne(known, byte(lead), byte(trail)); ok {
				c.add(code, r)
			}
		}
	}
	c.preferIBM()
	return c
})

// gaiji places the user-defined codes F040 to F9FC in the private use area, where Windows has them.
func gaiji(lead, trail int) rune {
	if trail > 0x7F {
		trail--
	}
	return rune(0xE000 + (lead-0xF0)*188 + trail - 0x40)
}

// preferIBM writes the characters that stand in both the NEC and the IBM extension with the code that Windows writes:
// the IBM one (FA40 to FC4B) rather than the NEC selection of it (ED40 to EEFC).
func (c *charset) preferIBM() {
	for code := uint16(0xFA40); code <= 0xFC4B; code++ {
		r := c.runes[code]
		if r != 0 && 0xED40 <= c.codes[r] && c.codes[r] <= 0xEEFC {
			c.codes[r] = code
		}
	}
}

// jisCharset has the codes of JIS X 0208 with both high bits set, as EUC-JP stores them, and the codes of JIS X 0212 with the
// high bit of the first byte only. It is created at first use.
var jisCharset = sync.OnceValue(func() *charset {
	c := new(charset)
	known := japanese.EUCJP.NewDecoder()
	const singleShift3 = 0x8F
	for row := 0xA1; row <= 0xFE; row++ {
		for cell := 0xA1; cell <= 0xFE; cell++ {
			if r, ok := decodeOne(known, byte(row), byte(cell)); ok {
				c.add(jis0208(byte(row), byte(cell)), r)
			}
		}
	}
	for row := 0xA1; row <= 0xFE; row++ {
		for cell := 0xA1; cell <= 0xFE; cell++ {
			if r, ok := decodeOne(known, singleShift3, byte(row), byte(cell)); ok {
				c.add(jis0212(byte(row), byte(cell)), r)
			}
		}
	}
	return c
})

// jis0208 and jis0212 are the codes in jisCharset of a row and a cell in 7 or 8 bits.
func jis0208(row, cell byte) uint16 { return uint16(row|0x80)<<8 | uint16(cell|0x80) }
func jis0212(row, cell byte) uint16 { return uint16(row|0x80)<<8 | uint16(cell&^0x80) }

// decodeOne decodes bytes that are to be exactly one character.
func decodeOne(d *encoding.Decoder, raw ...byte) (rune, bool) {
	var dst [16]byte
	n, _, err := d.Transform(dst[:], raw, true)
	r, size := utf8.DecodeRune(dst[:n])
	return r, err == nil && n > 0 && size == n && r != utf8.RuneError && r <= 0xFFFF
}
