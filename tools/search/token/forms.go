package token

import "strings"

// Forms returns other forms of an English word: files for file; parse, parses and
// parsed for parsing. The result does not contain the word itself. It has at most 12
// entries, some of which may be no words. Words that are too short or not in lower-case
// ASCII letters have none.
//
// If all forms are one search term, compute the frequency over all of them. Otherwise a
// rare form would count more than the word.
func Forms(word string) []string {
	if len(word) < 3 || len(word) > 24 || !letters(word) || invariable[word] {
		return nil
	}
	f := forms{word: word}
	for _, base := range bases(word) {
		f.add(base)
		f.add(plural(base))
		if verbal(base) {
			f.add(participle(base, "ing"))
			f.add(participle(base, "ed"))
		}
	}
	return f.all
}

// invariable are words that look like forms of others, and common ones that have no
// forms that are worth it.
var invariable = func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(`
		the and for not but with from into this that these those than then when where which while what who whom
		why how are was were has had have does did can could should would may might must will shall its his her
		our your their they them you she any all some each every both few more most other such only own same too
		very just about above after again against before below between down during off once out over under until
		through because if nothing something anything everything always perhaps less plus https news series
		species bias alias canvas lens atlas https dns tls css js os ios`) {
		set[word] = true
	}
	return set
}()

type forms struct {
	word string
	all  []string
}

func (f *forms) add(form string) {
	if form == f.word || len(form) < 2 || len(f.all) == 12 {
		return
	}
	for _, known := range f.all {
		if known == form {
			return
		}
	}
	f.all = append(f.all, form)
}

// bases returns the words that a word may be a form of, including itself if it may be a
// base form.
func bases(word string) []string {
	n := len(word)
	switch {
	case strings.HasSuffix(word, "ies") && n > 4:
		return []string{word[:n-3] + "y"}
	case has(word, "sses", "xes", "shes", "zzes"):
		return []string{word[:n-2]}
	case strings.HasSuffix(word, "ches"):
		return []string{word[:n-2], word[:n-1]}
	case strings.HasSuffix(word, "s") && n > 3 && !has(word, "ss", "us", "is"):
		return []string{word[:n-1]}
	case word == "setting": // seldom that of the verb, which is everywhere
	case strings.HasSuffix(word, "ing") && n > 5 && vowel(word[:n-3]):
		return append(stems(word[:n-3]), word)
	case strings.HasSuffix(word, "ied") && n > 4:
		return []string{word[:n-3] + "y"}
	case strings.HasSuffix(word, "ed") && n > 4 && vowel(word[:n-2]) && !strings.HasSuffix(word, "eed"):
		return stems(word[:n-2])
	}
	return []string{word}
}

// stems are the verbs that become a stem before -ing and -ed.
func stems(stem string) []string {
	n := len(stem)
	switch last := stem[n-1]; {
	case n > 2 && last == stem[n-2] && !strings.ContainsRune("lsz", rune(last)):
		return []string{stem[:n-1]} // running
	case n > 2 && last == stem[n-2]:
		return []string{stem} // calling
	case has(stem, "at", "iz", "ur", "uc", "rs", "ng", "ch", "in") || strings.ContainsRune("cuv", rune(last)):
		return []string{stem, stem + "e"}
	case short(stem):
		return []string{stem + "e"} // coding
	}
	return []string{stem, stem + "e"}
}

// verbal says that a word may have forms in -ing and -ed.
func verbal(base string) bool {
	return len(base) > 2 && !has(base, "ing", "ness", "tion", "ment", "ity", "er", "or", "ly", "ous")
}

func plural(base string) string {
	n := len(base)
	switch {
	case has(base, "s", "x", "z", "ch", "sh"):
		return base + "es"
	case base[n-1] == 'y' && n > 2 && !isVowel(base[n-2]):
		return base[:n-1] + "ies"
	}
	return base + "s"
}

func participle(base, end string) string {
	n := len(base)
	switch last := base[n-1]; {
	case last == 'e' && (end == "ed" || n > 2 && base[n-2] != 'e'):
		return strings.TrimSuffix(base, "e") + end
	case last == 'y' && end == "ed" && !isVowel(base[n-2]):
		return base[:n-1] + "ied"
	case n < 6 && short(base):
		return base + base[n-1:] + end // mapped
	}
	return base + end
}

// short says that a word ends in one vowel and a consonant that is doubled then.
func short(word string) bool {
	n := len(word)
	if n < 3 || n > 4 {
		return false
	}
	return !isVowel(word[n-1]) && !strings.ContainsRune("wxy", rune(word[n-1])) && isVowel(word[n-2]) && !isVowel(word[n-3])
}

func has(word string, ends ...string) bool {
	for _, end := range ends {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

func vowel(text string) bool { return strings.ContainsAny(text, "aeiouy") }

func isVowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }

func letters(word string) bool {
	for i := range len(word) {
		if classes[word[i]] != lower {
			return false
		}
	}
	return true
}
