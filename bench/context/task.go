package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// kind is the kind of a task. All kinds occur in every project.
type kind string

const (
	readFunction kind = "read a function whose name is known"
	listMembers  kind = "list the functions of a file"
	findUses     kind = "find all uses of a name"
	findConcept  kind = "find the code for a description"
	changeNamed  kind = "change a function whose name is known"
	changeAll    kind = "change a name everywhere in a file"
	changeLine   kind = "change the line that a stack trace names"
	listFiles    kind = "list the files of a directory"
)

func kinds() []kind {
	return []kind{readFunction, listMembers, findUses, findConcept, changeNamed, changeAll, changeLine, listFiles}
}

// task is a request of a user, with the facts that decide whether it is done.
type task struct {
	project string
	kind    kind
	// name is the name that the user knows: of a function, or of the directory in listFiles.
	name string
	// words are the user's description in findConcept. patterns are the expressions that a person would give to grep for it, in order.
	words    string
	patterns []string
	// file is known to the user in listMembers, changeAll and changeLine. server-filesystem, which cannot search contents, knows it in
	// every task.
	file string
	// evidence are texts that the answers must contain.
	evidence []string
	// before and after are the change. before occurs once in the file, except in changeAll.
	before, after string

	line int // line of before in the file, from 1
}

// changes reports whether the task changes the file.
func (t task) changes() bool { return t.before != "" }

// prepare checks that the task fits the project in dir, and finds the line of the change.
func (t *task) prepare(dir string) error {
	if !t.changes() {
		return nil
	}
	content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(t.file)))
	if err != nil {
		return err
	}
	src := string(content)
	if n := strings.Count(src, t.before); n == 0 || n > 1 && t.kind != changeAll {
		return fmt.Errorf("%s has %q %d times", t.file, t.before, n)
	}
	t.line = 1 + strings.Count(src[:strings.Index(src, t.before)], "\n")
	return nil
}

// check reports whether the file in dir has been changed as the task asks for, given its former content.
func (t task) check(dir, former string) error {
	content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(t.file)))
	if err != nil {
		return err
	}
	if string(content) != strings.ReplaceAll(former, t.before, t.after) {
		return fmt.Errorf("%s has not the content that the task asks for", t.file)
	}
	return nil
}

// tasks returns eight tasks for each project, one of each kind.
func tasks() []task {
	return []task{
		{project: "fastify", kind: readFunction, name: "rawBody", file: "lib/content-type-parser.js", evidence: []string{"FST_ERR_CTP_INVALID_CONTENT_LENGTH()", "Buffer.concat(chunks, receivedLength)"}},
		{project: "fastify", kind: listMembers, file: "lib/reply.js", evidence: []string{"safeWriteHead", "sendTrailer", "onErrorHook", "buildReply"}},
		{project: "fastify", kind: findUses, name: "wrapThenable", file: "lib/handle-request.js", evidence: []string{"wrapThenable(result, reply, store)", "handle-request.js", "error-handler.js"}},
		{project: "fastify", kind: findConcept, words: "what happens if the serialization of an error fails", patterns: []string{"error.*serializ", "FAILED_ERROR_SERIALIZATION"},
			file: "lib/error-handler.js", evidence: []string{"FST_ERR_FAILED_ERROR_SERIALIZATION(err.message"}},
		{project: "fastify", kind: changeNamed, name: "validateBodyLimitOption", file: "lib/route.js", before: "!Number.isInteger(bodyLimit) || bodyLimit <= 0", after: "!Number.isSafeInteger(bodyLimit) || bodyLimit <= 0"},
		{project: "fastify", kind: changeAll, name: "receivedLength", file: "lib/content-type-parser.js", before: "receivedLength", after: "receivedBytes"},
		{project: "fastify", kind: changeLine, file: "lib/reply.js", before: "if (err) reply.log.debug(err)", after: "if (err) reply.log.warn(err)"},
		{project: "fastify", kind: listFiles, name: "lib", evidence: []string{"content-type-parser.js", "wrap-thenable.js"}},

		{project: "rxjs", kind: readFunction, name: "errorContext", file: "internal/util/errorContext.ts", evidence: []string{"const isRoot = !context", "crazy enough to use super-gross mode"}},
		{project: "rxjs", kind: listMembers, file: "internal/util/args.ts", evidence: []string{"popResultSelector", "popScheduler", "popNumber"}},
		{project: "rxjs", kind: findUses, name: "dateTimestampProvider", file: "internal/ReplaySubject.ts", evidence: []string{"timestamp.ts", "Scheduler.ts", "ReplaySubject.ts", "TestScheduler.ts"}},
		{project: "rxjs", kind: findConcept, words: "drop values that are too old from the buffer of a replay", patterns: []string{"too old|expired", "trimBuffer"},
			file: "internal/ReplaySubject.ts", evidence: []string{"const now = _timestampProvider.now()"}},
		{project: "rxjs", kind: changeNamed, name: "popNumber", file: "internal/util/args.ts", before: "typeof last(args) === 'number' ? args.pop()! : defaultValue", after: "Number.isFinite(last(args)) ? args.pop()! : defaultValue"},
		{project: "rxjs", kind: changeAll, name: "adjustedBufferSize", file: "internal/ReplaySubject.ts", before: "adjustedBufferSize", after: "maxEntries"},
		{project: "rxjs", kind: changeLine, file: "internal/scheduler/VirtualTimeScheduler.ts", before: "while ((action = actions[0]) && action.delay <= maxFrames) {", after: "while ((action = actions[0]) && action.delay < maxFrames) {"},
		{project: "rxjs", kind: listFiles, name: "internal/scheduler", evidence: []string{"AsapAction.ts", "timerHandle.ts"}},

		{project: "sqlalchemy", kind: readFunction, name: "find_left_clause_to_join_from", file: "sql/util.py", evidence: []string{"selectables = set(_from_objects(join_to))", "return range(len(clauses))"}},
		{project: "sqlalchemy", kind: listMembers, file: "pool/base.py", evidence: []string{"_create_connection", "get_connection", "_checkout_existing", "_close_special"}},
		{project: "sqlalchemy", kind: findUses, name: "selectables_overlap", file: "orm/relationships.py", evidence: []string{"context.py", "relationships.py", "return selectables_overlap("}},
		{project: "sqlalchemy", kind: findConcept, words: "shorten the display of many bound parameter sets", patterns: []string{"parameter sets", "truncat.*param"},
			file: "sql/util.py", evidence: []string{"displaying %i of %i total bound parameter sets"}},
		{project: "sqlalchemy", kind: changeNamed, name: "clause_is_present", file: "sql/util.py", before: "        if clause == elem:  # use == here so that Annotated's compare\n", after: "        if elem == clause:  # use == here so that Annotated's compare\n"},
		{project: "sqlalchemy", kind: changeAll, name: "resolve_ambiguity", file: "sql/util.py", before: "resolve_ambiguity", after: "compare_columns"},
		{project: "sqlalchemy", kind: changeLine, file: "pool/base.py", before: "self._soft_invalidate_time = time.time()", after: "self._soft_invalidate_time = time.monotonic()"},
		{project: "sqlalchemy", kind: listFiles, name: "pool", evidence: []string{"dbapi_proxy.py", "impl.py"}},

		{project: "net/http", kind: readFunction, name: "parseRange", file: "fs.go", evidence: []string{"const b = \"bytes=\"", "return nil, errNoOverlap"}},
		{project: "net/http", kind: listMembers, file: "cookiejar/jar.go", evidence: []string{"canonicalHost", "domainAndType", "defaultPath", "setCookies"}},
		{project: "net/http", kind: findUses, name: "shouldCopyHeaderOnRedirect", file: "client.go", evidence: []string{"if !shouldCopyHeaderOnRedirect(reqs[0].URL, req.URL)", "export_test.go"}},
		{project: "net/http", kind: findConcept, words: "no referer when a redirect leaves https", patterns: []string{"[Rr]eferer.*https|https.*[Rr]eferer", "func.*[Rr]eferer"},
			file: "client.go", evidence: []string{`if lastReq.Scheme == "https" && newReq.Scheme == "http" {`}},
		{project: "net/http", kind: changeNamed, name: "validCookieDomain", file: "cookie.go", before: "net.ParseIP(v) != nil && !strings.Contains(v, \":\")", after: "net.ParseIP(v).To4() != nil"},
		{project: "net/http", kind: changeAll, name: "noOverlap", file: "fs.go", before: "noOverlap", after: "outside"},
		{project: "net/http", kind: changeLine, file: "request.go", before: "username, password, ok = strings.Cut(cs, \":\")", after: "username, password, ok = strings.Cut(strings.TrimSpace(cs), \":\")"},
		{project: "net/http", kind: listFiles, name: "cookiejar", evidence: []string{"jar.go", "punycode.go"}},

		{project: "expo-modules-core", kind: readFunction, name: "uuidv5", file: "Uuidv5/Uuidv5.swift", evidence: []string{"// Compute SHA1 digest", "return UUID(uuid: uuidTuple)"}},
		{project: "expo-modules-core", kind: listMembers, file: "Core/SharedObjects/SharedObjectRegistry.swift", evidence: []string{"pullNextId", "toNativeObject", "ensureSharedJavaScriptObject", "clear"}},
		{project: "expo-modules-core", kind: findUses, name: "percentEncodeUrlString", file: "Core/Arguments/Convertibles.swift", evidence: []string{"Convertibles.swift", "percentEncodeUrlString(value)"}},
		{project: "expo-modules-core", kind: findConcept, words: "turn a product name into the name of its Swift module", patterns: []string{"product name", "module name"},
			file: "Core/AppContext.swift", evidence: []string{"func c99ExtendedIdentifier"}},
		{project: "expo-modules-core", kind: changeNamed, name: "resolveDisplayScale", file: "Utilities/SceneGeometry.swift", before: "    return 1\n", after: "    return 2\n"},
		{project: "expo-modules-core", kind: changeAll, name: "encodedString", file: "Utilities/Utilities.swift", before: "encodedString", after: "encoded"},
		{project: "expo-modules-core", kind: changeLine, file: "Core/AppContext.swift", before: "characters[0] = \"_\"", after: "characters.insert(\"_\", at: 0)"},
		{project: "expo-modules-core", kind: listFiles, name: "Core/SharedObjects", evidence: []string{"SharedRef.swift", "SharedObjectRegistry.swift"}},
	}
}
