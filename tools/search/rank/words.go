package rank

import "strings"

// set are the words of a text.
func set(words string) map[string]bool {
	s := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		s[word] = true
	}
	return s
}

// stopWords are in every text and in most questions, and hardly ever what somebody
// looks for.
var stopWords = set(`a an the and or of to in on at by for with from into as is are was were be been being am do does did
	doesn don has have had how what where which who whom whose why when that this these those it its i you we they my our
	your their he she can could should would may might must will shall if then than so such via using used there here
	about between me us please want need`)

// particles make verbs that are written as one word in names: login, logout, setup.
var particles = set(`in out up down on off over back by`)

// stopRuns are what joins words in Japanese, and how something is asked for: they are
// no part of what is looked for.
var stopRuns = set(`の は が を に で と も へ や か から まで より とは には では への での との からの までの する した して
	される された されて している していた すると できる できない しない です ます である する方 ある いる な なる になる
	こと もの ため どう どこ なぜ どうやって どのように について における によって により による として する際の するには
	したい をする をした がある この その あの これ それ という ように`)
