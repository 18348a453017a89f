package repository_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// toolCodes are the codes of tool errors that package security does not define, with their meanings and next steps.
var toolCodes = map[string]string{
	"AGENT_NOT_STARTED":       "The agent has not started, so it has no result. | Wait for it with wait_agent, or cancel it with cancel_agent.",
	"AGENT_RUNNING":           "The agent is still running, so its conversation cannot continue. | Call wait_agent or cancel_agent first.",
	"ALREADY_PUSHED":          "The commit is in a remote branch, so it cannot be amended. | Make a new commit.",
	"AMBIGUOUS_CHUNK":         "Several chunks match. | Use one of the ids in the error.",
	"AMBIGUOUS_PROJECT":       "Several projects are open in Unity, or the named project is not open. | Set project to one of the names in the error.",
	"AMBIGUOUS_SYMBOL":        "Several declarations have the name. | Give the path and the line of one of the declarations in the error.",
	"ANCHOR_NOT_FOUND":        "The expected text is not near the line. | Read the lines again.",
	"AUTHENTICATION_REQUIRED": "The remote requires a password or a key, and git cannot ask for one here. | Ask the user to set up access.",
	"BAD_DEPENDENCY":          "An agent in dependsOn does not exist or has failed. | Use agents from list_agents, or leave dependsOn out.",
	"BAD_RANGE":               "The file does not have these lines or bytes. | Use lines or bytes that the file has.",
	"BINARY_FILE":             "The file is not text. | Read it with encoding binary.",
	"BUILD_TOOL_MISSING":      "The program that builds the project is not installed. | Ask the user to install it, or name another buildType.",
	"CHUNK_NOT_FOUND":         "No chunk has this id or name. | Find it with list_functions_in_file or search_symbols.",
	"CIRCUIT_OPEN":            "A source has failed several times, so calls to it are paused. | Call again at the time in the error; other sources still work.",
	"CLIENT_NOT_ALLOWED":      "The server does not allow this client. | Ask the operator to add the client to the list of allowed clients.",
	"CONFIRMATION_REQUIRED":   "A deletion or replacement of this size needs a confirmation. | To confirm it, call again with the confirmToken in the error.",
	"CONNECTION_LIMIT":        "The limit of open sessions is reached. | Try again after a session has ended.",
	"DEBUGGER_BUSY":           "The program is still being built or started, or the debugger is handling another call. | Wait with debug_status, or end the session with debug_stop.",
	"DEBUGGER_FAILED":         "The debugger refused the call or has exited; the message says why. | Correct the cause in the message, or start a new session with debug_start.",
	"DECLINED":                "The user did not agree.",
	"DESTRUCTIVE_NOT_ALLOWED": "Neither a setting nor the user allows a deletion that cannot be undone. | Delete it to the trash instead, or ask the user.",
	"DETACHED_HEAD":           "No branch is checked out. | Switch to a branch, or create one, with git_branch.",
	"DIVERGED":                "Both sides have new commits. | Pull with mode rebase or merge.",
	"DOES_NOT_PARSE":          "With the new code the file would no longer parse, or the new code has no declaration. Nothing was changed. | Check its brackets and quotes.",
	"EDIT_AMBIGUOUS":          "The text of an edit occurs at several places. | Add lines around it, or give a line that is near.",
	"EDIT_COUNT_MISMATCH":     "The text of an edit does not occur the expected number of times. | Check the text and the expected number.",
	"EDIT_NO_MATCH":           "The text of an edit does not occur in the file. | Compare it with the most similar lines, which the message shows.",
	"FORMATTER_FAILED":        "The formatter could not format the file. | Fix the problem in the message; often the code does not parse.",
	"GIT_FAILED":              "Git failed for a reason without a code of its own. | Correct the problem in the message.",
	"GIT_MISSING":             "The program git is not installed. | Ask the user to install it.",
	"GROUP_BUSY":              "Agents of the group are still running. | Wait for them with wait_agent, or delete the group with force, which cancels them.",
	"HOOK_FAILED":             "A hook of the repository refused the change. | Correct the problem in the message, or run without hooks.",
	"IDE_NOT_RUNNING":         "No running editor supports this call. | Start the editor that the error names, or use the tools that need no editor.",
	"INDEX_UNAVAILABLE":       "The index cannot be read or written, or it is empty. | get_index_status reports the cause; refresh_index tries again.",
	"INPUT_CLOSED":            "The process no longer reads input. | Start it again, with background or pty.",
	"INVALID_ANSWER":          "The client's answer to a question does not fit the form.",
	"INVALID_CURSOR":          "The cursor does not belong to this list. | Read the list again from the start.",
	"INVALID_PATTERN":         "The pattern is not a valid regular expression (RE2), or is too large. | Correct or shorten the pattern.",
	"INVALID_RESULT":          "A result does not match its schema. | Report it to the user.",
	"ISSUES_UNAVAILABLE":      "Issues are not available: the source is not set up, or does not respond. | Follow the instructions in the error.",
	"LANGUAGE_SERVER_FAILED":  "The language server did not respond, or its response was not usable. | Call again; the language server is restarted.",
	"LIMIT_REACHED":           "The limit of agents is reached, or this agent has no right to start more. | Do the work yourself, or wait for running agents with wait_agent and call again.",
	"LFS_OBJECTS_MISSING":     "The commits contain files of Git LFS, and the push would not send their objects. | Ask the user to run git push in a terminal.",
	"LOCKED":                  "Another git process is changing the repository, or ended during a change. | Wait and call again; if none is running, ask the user to remove the lock.",
	"MALFORMED_TEXT":          "The file is not in the given encoding. | Give another encoding, or read it with encoding binary.",
	"MISSING_CAPABILITY":      "The client lacks a capability that the tool needs. | Continue without it, or tell the user.",
	"NOTHING_IN_PROGRESS":     "There is no merge or rebase to abort or continue.",
	"NOTHING_TO_COMMIT":       "None of the selected files has changed. | See the changes with git_status.",
	"NOT_ANALYZED":            "The call needs an analysed project, and no project is analysed. | Call analyze_project.",
	"NOT_AUTHORIZED":          "The source rejects the token, or the token lacks a right. | Ask the user for a token with the rights that the error names.",
	"NO_TOKEN":                "A service needs a token, and none is set. | Ask the user to set the token that the error names, and to restart the server.",
	"NOT_A_REPOSITORY":        "The directory is not in a git repository. | Use another directory; for an agent, leave isolation out.",
	"NOT_FOUND":               "The source has no object with this name. | Check the name.",
	"NOT_SOURCE":              "The file is in an unknown language, binary, or too long. | Give its language, or read it with a file tool.",
	"NOT_STOPPED":             "The program is running; the call needs a stopped program. | Wait with debug_status, or stop it with debug_step and action=pause.",
	"NO_ANSWER":               "A server behind the gateway asked a question and received no answer. | Continue without this call, or ask the user to answer.",
	"NO_BUILD_SYSTEM":         "The project has no file of a known build system. | Name the directory with projectPath, or use execute_command.",
	"NO_DEBUGGER":             "No debugger for the program is known or installed. | Install the debugger that the error names, or name another adapter.",
	"NO_IDENTITY":             "Git has no name and email for the author. | Ask the user to set user.name and user.email.",
	"NO_LANGUAGE_SERVER":      "No language server for the file is installed. | Install the language server that the error names.",
	"NO_PARSER":               "No parser reads the declarations of the file. | Read the file, and edit it by text.",
	"NO_PROJECT":              "The client works in no folder that the server can use, or the project cannot be opened; the message says why. | Ask the user to open a folder in the client, or to install the server with the flag -root.",
	"NO_SESSION":              "The agent never started a conversation. | Start a new agent with run_agent.",
	"NO_UPSTREAM":             "The branch has no upstream branch. | Push with setUpstream, or name a remote and a branch.",
	"OPERATION_IN_PROGRESS":   "A merge, a rebase or a similar operation is in progress. | Finish it, or abort it with git_pull.",
	"PERMISSION_REQUIRED":     "The caller lacks a permission that the tool needs. | Ask the operator for the permission that the error names.",
	"RATE_LIMITED":            "There were too many calls in a short time. | Wait for the time in the error, then call again.",
	"READ_REQUIRED":           "The file must be read before it is overwritten. | Read the file, then call again.",
	"OUTSIDE_PROJECT":         "The project is a part of the repository, and the call would change files outside the project. | Ask the user to do it, or to start the server for the whole repository.",
	"REJECTED":                "The remote rejected the push. | Pull first, then push again.",
	"REMOTE_NOT_ALLOWED":      "The remote is a directory outside the project, or uses a protocol that is not allowed. | Ask the user to do it in a terminal.",
	"REMOTE_UNREACHABLE":      "The remote does not respond, or has no such repository. | Check its URL and the connection.",
	"RESULT_TOO_LARGE":        "The result exceeds the limit of an answer. | Ask for less in one call.",
	"ROLE_NOT_READY":          "The server is still checking the role. | Call again in a moment.",
	"ROLE_UNAVAILABLE":        "The role cannot run agents. | list_roles gives the reason; use another role, or tell the user.",
	"SECRETS_FOUND":           "The commit seems to contain passwords or keys. | Remove them; use allowSecrets only if the user agrees.",
	"SERVER_BUSY":             "All connections to a server behind the gateway are in use, or too many calls are waiting. | Call again later.",
	"SERVER_UNAVAILABLE":      "A server behind the gateway is down, or its connection broke. | Call again at the time in the error; after a broken connection, first check whether the call took effect.",
	"SESSION_ENDED":           "The debugging session has ended. | Read its output with debug_status; start a new session with debug_start.",
	"STALE_CHUNK":             "The chunk has changed since the caller read it, or its name means another one now. | Read it again and apply the change to the current code.",
	"STALE_FIX":               "A file has changed since the fix was created. | Call get_quick_fixes again.",
	"STALE_REFACTORING":       "A file has changed since the refactoring was created. | Call list_refactorings or extract_method again.",
	"STALE_REFERENCE":         "The program has run since the reference to a variable was created. | Call debug_variables again.",
	"SYMBOL_IN_USE":           "Other code refers to the declaration. Nothing was deleted or renamed. | Change the places that the error names first.",
	"SYMBOL_NOT_FOUND":        "The name does not exist, or is not in that line. | Check the name, the path and the line.",
	"TESTS_RUNNING":           "Unity is running tests and does nothing else until they end. | Wait for them with run_tests and their jobId.",
	"TOO_MANY_PROCESSES":      "The limit of running processes is reached. | End some with kill_process, or wait for them.",
	"TOO_MANY_SESSIONS":       "The limit of debugging sessions is reached. | End one with debug_stop.",
	"TOO_MANY_TASKS":          "The limit of stored tasks is reached. | Wait for tasks to end, or cancel some; ended tasks are removed after a while.",
	"UNAVAILABLE":             "The tools are being replaced, or the server is stopping. | Call again.",
	"UNCOMMITTED_CHANGES":     "Uncommitted changes would be lost, so nothing was done. | Commit them first.",
	"UNENCODABLE_CHARACTER":   "The encoding of the file lacks a character of the new content. | Write another character, or use another encoding.",
	"UNITY_BUSY":              "The main thread of Unity did not start the command within 30 seconds; it may still start it. | Wait and call again; ask the user whether Unity shows a dialog.",
	"UNITY_COMMAND_OFF":       "The command is disabled in the window of MCP for Unity, or the package is too old for it. | Ask the user to enable it, or to update the package.",
	"UNITY_FAILED":            "Unity reported an error; the message says why. | Correct the cause in the message, or call again.",
	"UNITY_RELOADING":         "Unity is reloading its scripts and has not received the command. | Wait some seconds and call again.",
	"UNITY_UNCERTAIN":         "The connection ended before Unity responded; the command may have run, and is not repeated automatically. | Check its result before you call again.",
	"UNKNOWN_AGENT":           "There is no agent with this id. | Call list_agents to see the agents.",
	"UNKNOWN_ENCODING":        "The encoding is unknown. | Use an encoding that the error names.",
	"UNKNOWN_FIX":             "The fix is unknown, or was already applied. | Call get_quick_fixes again.",
	"UNKNOWN_REFACTORING":     "The refactoring is unknown, or was already applied. | Call list_refactorings again.",
	"AMBIGUOUS_REFACTORING":   "Several refactorings have this kind. | Give a part of one of the titles as `title`.",
	"NO_REFACTORING":          "No language server has a refactoring of this kind for this code. | Select complete statements of one function, or an expression; call `list_refactorings`.",
	"NO_NAME_TO_GIVE":         "The refactoring has no clear place for the name. | Leave the name out, and call rename_symbol after applying.",
	"NEEDS_LOGIN":             "A server behind the gateway needs a login of its user, or the login has expired. Nothing was done. | Open the page that the error names, or log in as it says, then call again.",
	"NAME_TAKEN":              "A changed file already uses the new name. | Choose another name.",
	"PROJECT_NOT_INDEXED":     "The language server does not know all files that use the name, so a rename would be incomplete. Nothing was written. | Create the file that lists the sources, which the error names, or change the named files by other means.",
	"UNKNOWN_GROUP":           "There is no such active group. | Create one with create_group and give its groupId.",
	"UNKNOWN_LINE_END_POLICY": "The line-end policy is unknown. | Use keep, lf or crlf.",
	"UNKNOWN_OUTCOME":         "The connection to the source broke; the call may have taken effect. | Check its result before you call again.",
	"UNKNOWN_PROCESS":         "There is no process with this id. | See the known processes with list_processes.",
	"UNKNOWN_REVISION":        "The commit, branch or tag does not exist, or does not contain this file. | Find one with git_branch or git_log.",
	"UNKNOWN_ROLE":            "There is no role with this id. | Call list_roles to see the roles.",
	"UNKNOWN_SERVER":          "The gateway has no server with this name. | Use a name from the list of servers.",
	"UNKNOWN_SESSION":         "There is no debugging session with this id. | See the sessions with debug_status.",
	"UNKNOWN_TEST_RUN":        "Unity does not know the test run, for example after a restart. | Start the tests again.",
	"UNRESOLVED_CONFLICTS":    "A file still contains conflicts. | Edit it until no conflict markers are left, or abort.",
	"UNSAFE_REPOSITORY":       "The repository is configured to run programs or use files elsewhere, and git cannot turn this off. | Ask the user to check the setting that the error names.",
}

// The table of error codes is complete: it contains every code of the source.
func TestErrorCodes_Documented(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("# Error codes\n\nThe result of a failed tool call has `isError` and a text: the code, the message and the next step. Programs read the code and the next step in\n" +
		"`_meta[\"io.github.dougu-go/error\"]` of the result. If a rule refused a path, this object also has the reason and the path.\n\n| code | meaning | next step |\n|---|---|---|\n")
	known := maps.Clone(toolCodes)
	for _, info := range security.Codes() {
		known[string(info.Code)] = info.Meaning + " | " + info.Next
	}
	for _, code := range slices.Sorted(maps.Keys(known)) {
		meaning := known[code]
		if !strings.Contains(meaning, " | ") {
			meaning += " | "
		}
		fmt.Fprintf(&doc, "| `%s` | %s |\n", code, meaning)
	}
	doc.WriteString("\n## Reasons\n\nThe reason says which rule refused a path.\n\n| reason | code |\n|---|---|\n")
	for _, reason := range []security.Reason{security.PathTraversal, security.OutsideProjectRoot, security.BlockedPattern, security.ProtectedFile, security.ReadOnlyRoot} {
		fmt.Fprintf(&doc, "| `%s` | `PERMISSION_DENIED` |\n", reason)
	}
	fmt.Fprintf(&doc, "| `%s` | `INVALID_PARAMS` |\n", security.UnsafeName)
	const file = "docs/errors.md"
	if os.Getenv("DOUGU_UPDATE") == "1" {
		if err := os.WriteFile(file, []byte(doc.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != doc.String() {
		t.Errorf("%s is not what the code says (%v); run this test with DOUGU_UPDATE=1", file, err)
	}

	used := map[string]bool{"UNKNOWN_ENCODING": true, "UNKNOWN_LINE_END_POLICY": true} // composed at run time
	files, _ := sources(t)
	for _, s := range files {
		if strings.HasPrefix(s.name, "internal/test/e2e/") || strings.HasPrefix(s.name, "internal/test/conformance/") {
			continue
		}
		for _, code := range codesIn(s.file) {
			used[code] = true
			if _, documented := known[code]; !documented {
				t.Errorf("%s: the code %s is not in %s", s.name, code, file)
			}
		}
	}
	for code := range known {
		if !used[code] {
			t.Errorf("%s has the code %s, which no tool returns", file, code)
		}
	}
}

// codesIn returns the error codes in a file: constants whose names begin with "code" or have the type Code,
// values of fields named Code, and results of methods named ErrorCode.
func codesIn(file *ast.File) []string {
	code := regexp.MustCompile(`^[A-Z]+(_[A-Z]+)*$`)
	var all []string
	add := func(value ast.Expr) {
		if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, _ := strconv.Unquote(literal.Value); code.MatchString(text) {
				all = append(all, text)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, name := range n.Names {
				typed, _ := n.Type.(*ast.Ident)
				if i < len(n.Values) && (strings.HasPrefix(name.Name, "code") || typed != nil && typed.Name == "Code") {
					add(n.Values[i])
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
				add(n.Value)
			}
		case *ast.FuncDecl:
			if n.Name.Name == "ErrorCode" && n.Body != nil {
				ast.Inspect(n.Body, func(n ast.Node) bool {
					if answer, ok := n.(*ast.ReturnStmt); ok && len(answer.Results) == 1 {
						add(answer.Results[0])
					}
					return true
				})
			}
		}
		return true
	})
	return all
}
