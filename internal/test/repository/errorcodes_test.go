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

// toolCodes are the codes of tool errors beside those of package security.
var toolCodes = map[string]string{
	"AGENT_NOT_STARTED":       "The agent has done nothing yet, so it has no result. | Wait for it with wait_agent, or end it with cancel_agent.",
	"AGENT_RUNNING":           "The agent has not ended, so its conversation cannot go on. | Call wait_agent first, or cancel_agent.",
	"ALREADY_PUSHED":          "The commit is in a remote branch, so it is not changed any more. | Make a new one.",
	"AMBIGUOUS_CHUNK":         "Several chunks can be meant. | Give one of the ids that the error names.",
	"AMBIGUOUS_PROJECT":       "Several projects are open in Unity, or none is the one that was named. | Name one of those that the error names as project.",
	"AMBIGUOUS_SYMBOL":        "Several declarations have the name. | Give the path and the line of one of those that the error names.",
	"ANCHOR_NOT_FOUND":        "The text that should stand near the line does not. | Read the lines again.",
	"AUTHENTICATION_REQUIRED": "The remote wants a password or a key, and nobody is asked for one. | Ask the user to set up access.",
	"BAD_DEPENDENCY":          "An agent that is to be waited for does not exist or has failed. | Name agents that list_agents shows, or leave dependsOn out.",
	"BAD_RANGE":               "The file does not have these lines or bytes.",
	"BINARY_FILE":             "The file is not text; read it with encoding binary.",
	"BUILD_TOOL_MISSING":      "The program that builds the project is not installed. | Ask the user to install it, or name another buildType.",
	"CHUNK_NOT_FOUND":         "No chunk is called that. | list_functions_in_file and search_symbols show what there is.",
	"CIRCUIT_OPEN":            "A source has failed several times and is left alone for a while. | Call again when the error says so; other sources still answer.",
	"CLIENT_NOT_ALLOWED":      "This client may not use the server. | Its operator has to name the client in the list of those that may.",
	"CONFIRMATION_REQUIRED":   "So much is only deleted or replaced when that is confirmed. | Call again with the confirmToken of the error if it is meant.",
	"CONNECTION_LIMIT":        "As many sessions as there may be are open. | Try again when one has ended.",
	"DEBUGGER_BUSY":           "The program is still being built or begun, or the debugger works at something else. | Wait with debug_status, or end the session with debug_stop.",
	"DEBUGGER_FAILED":         "The debugger refuses, or has died; it says why. | Change what it names, or start a new session with debug_start.",
	"DECLINED":                "The user did not agree.",
	"DESTRUCTIVE_NOT_ALLOWED": "Neither a setting nor the user allows a deletion that cannot be undone.",
	"DETACHED_HEAD":           "No branch is checked out. | Switch to one, or create one, with git_branch.",
	"DIVERGED":                "Both sides have new commits. | Pull with mode rebase or merge.",
	"DOES_NOT_PARSE":          "With the new code the file would not parse any more, or it declares nothing. Nothing was changed. | Check its brackets and quotes.",
	"EDIT_AMBIGUOUS":          "The text of an edit stands at several places; add lines around it, or say which line is near.",
	"EDIT_COUNT_MISMATCH":     "The text of an edit does not stand at the expected number of places.",
	"EDIT_NO_MATCH":           "The text of an edit does not stand in the file; the message shows the lines that are most like it.",
	"FORMATTER_FAILED":        "The formatter could not lay the file out. | Mend what it says; often the code does not parse.",
	"GIT_FAILED":              "Git has failed in a way that has no code of its own. | Correct what it names.",
	"GIT_MISSING":             "The program git is not installed. | Ask the user to install it.",
	"GROUP_BUSY":              "Agents of the group have not ended. | Wait for them with wait_agent, or delete with force, which cancels them.",
	"HOOK_FAILED":             "A hook of the repository has refused it. | Correct what it names, or leave hooks out.",
	"IDE_NOT_RUNNING":         "No editor that can do that is running. | Start what the error names, or use the tools that need no editor.",
	"INDEX_UNAVAILABLE":       "The index cannot be read or written, or nothing is indexed. | get_index_status says why; refresh_index tries again.",
	"INPUT_CLOSED":            "The process does not read input any more. | Start it again, with background or pty.",
	"INVALID_ANSWER":          "The client's answer to a question does not fit the form.",
	"INVALID_CURSOR":          "The cursor is not one of this list's.",
	"INVALID_PATTERN":         "The pattern is not a regular expression that is known here (RE2), or is too large.",
	"INVALID_RESULT":          "A result does not fit its schema.",
	"ISSUES_UNAVAILABLE":      "Issues cannot be had: the source is not set up, or does not answer. | The error says what it lacks.",
	"LANGUAGE_SERVER_FAILED":  "The language server did not answer, or not with anything of use. | Call again; it is started anew.",
	"LIMIT_REACHED":           "No more agents may be ordered now, or not by this agent. | Do this yourself, or wait for agents that run with wait_agent and call again.",
	"LFS_OBJECTS_MISSING":     "The commits have files of Git LFS, whose objects the push would not send. | Ask the user to run git push in a terminal.",
	"LOCKED":                  "Another git changes the repository, or has died while it did. | Wait and call again; if none is running, ask the user to remove the lock.",
	"MALFORMED_TEXT":          "The file is not in the encoding that was named.",
	"MISSING_CAPABILITY":      "The client does not offer what the tool needs.",
	"NOTHING_IN_PROGRESS":     "There is nothing to abort or to go on with.",
	"NOTHING_TO_COMMIT":       "Nothing that was asked for has changed. | git_status shows what has.",
	"NOT_ANALYZED":            "The question is about a whole project, and none was analysed. | Call analyze_project.",
	"NOT_AUTHORIZED":          "The source does not accept the token, or not for this. | Ask the user for a token with the rights that the error names.",
	"NO_TOKEN":                "A service needs a token, and none is set. | Tell the user to set the token that the next step names, and to start the server again.",
	"NOT_A_REPOSITORY":        "The directory is in no git repository. | Name another one; for an agent, leave isolation out.",
	"NOT_FOUND":               "The source has nothing of that name.",
	"NOT_SOURCE":              "The file is in no known language, binary or too long. | Give its language, or read it with a tool for files.",
	"NOT_STOPPED":             "The program is running, and only one that has stopped can be looked at. | Wait with debug_status, or stop it with debug_step and action=pause.",
	"NO_ANSWER":               "A question of a server behind a gateway was not answered. | Do without it, or ask the user to answer.",
	"NO_BUILD_SYSTEM":         "Nothing was found that says how to build the project. | Name the directory with projectPath, or use execute_command.",
	"NO_DEBUGGER":             "No debugger for the program is known or installed. | Install the one that the error names, or name another adapter.",
	"NO_IDENTITY":             "Git does not know who commits. | Ask the user to set user.name and user.email.",
	"NO_LANGUAGE_SERVER":      "No language server for the file is installed. | Install the one that the error names.",
	"NO_SESSION":              "The agent never began a conversation. | Order another one with run_agent.",
	"NO_UPSTREAM":             "The branch follows no other. | Push with setUpstream, or name a remote and a branch.",
	"OPERATION_IN_PROGRESS":   "A merge, a rebase or the like was begun and is not done. | Conclude it, or abort it with git_pull.",
	"PERMISSION_REQUIRED":     "The tool needs a permission that the caller has not. | Ask the operator for what the error names.",
	"RATE_LIMITED":            "Too much was asked in too short a time. | Wait as long as the error says, then call again.",
	"READ_REQUIRED":           "The file must be read before it is overwritten.",
	"OUTSIDE_PROJECT":         "The project is a part of the repository, and the call would change files outside of it. | Ask the user to do it, or to start the server for the whole repository.",
	"REJECTED":                "The remote did not take the branch. | Pull first, and push again.",
	"REMOTE_NOT_ALLOWED":      "The remote is a directory outside of the project, or speaks a protocol that is not used. | Ask the user to do it in a terminal.",
	"REMOTE_UNREACHABLE":      "The remote does not answer, or has no such repository. | Check its URL and the connection.",
	"RESULT_TOO_LARGE":        "The result is larger than an answer may be.",
	"ROLE_NOT_READY":          "It is not known yet whether the role can be used. | Call again in a moment.",
	"ROLE_UNAVAILABLE":        "Agents of the role cannot be run. | list_roles says why; use another role, or tell the user.",
	"SECRETS_FOUND":           "What would be committed looks like it holds passwords or keys. | Take them out; with allowSecrets only if the user wants that.",
	"SERVER_BUSY":             "All connections to a server behind a gateway are in use, or too many calls wait for answers. | Call again later.",
	"SERVER_UNAVAILABLE":      "A server behind a gateway is down, or broke off. | Call again as the error says; after a break, look first whether it has done what was asked.",
	"SESSION_ENDED":           "The debugging session has ended. | debug_status has its output; start a new one with debug_start.",
	"STALE_CHUNK":             "The chunk is not what the caller has read. | Read it again and apply the change to what is there.",
	"STALE_FIX":               "A file that the fix changes is not what it was made for. | Call get_quick_fixes again.",
	"STALE_REFACTORING":       "A file that the refactoring changes is not what it was made for. | Call list_refactorings or extract_method again.",
	"STALE_REFERENCE":         "The program has gone on since the reference to a variable was answered. | Call debug_variables again.",
	"SYMBOL_NOT_FOUND":        "There is no such name, or not in that line.",
	"TESTS_RUNNING":           "Tests are running in Unity, which does nothing else meanwhile. | Wait for them with run_tests and their jobId.",
	"TOO_MANY_PROCESSES":      "As many processes run as may. | End some with kill_process, or wait for them.",
	"TOO_MANY_SESSIONS":       "As many programs are being debugged as may. | End one with debug_stop.",
	"TOO_MANY_TASKS":          "As many tasks are kept as may. | Wait for tasks to end, or cancel some; ended ones are forgotten after a while.",
	"UNAVAILABLE":             "The tools are being exchanged, or the server is being stopped. | Call again.",
	"UNCOMMITTED_CHANGES":     "Changes that are not committed would be lost, so nothing was done. | Commit them first.",
	"UNENCODABLE_CHARACTER":   "The encoding of the file lacks a character of the new content.",
	"UNITY_BUSY":              "The main thread of Unity has not come to it in half a minute, and may come to it later. | Wait and call again; ask the user whether Unity shows a dialog.",
	"UNITY_COMMAND_OFF":       "The command is turned off in the window of MCP for Unity, or the package is too old for it. | Ask the user to turn it on, or to update the package.",
	"UNITY_FAILED":            "Unity could not do it; the message says why. | Change what it names, or call again.",
	"UNITY_RELOADING":         "Unity is reloading its scripts and has not got the command. | Wait some seconds and call again.",
	"UNITY_UNCERTAIN":         "The connection ended before Unity answered, and what was asked for is not done twice by itself. | Look at what has become of it before calling again.",
	"UNKNOWN_AGENT":           "There is no such agent. | Call list_agents to see the agents.",
	"UNKNOWN_ENCODING":        "The encoding is not one that is known.",
	"UNKNOWN_FIX":             "The fix is not known, or was applied before. | Call get_quick_fixes again.",
	"UNKNOWN_REFACTORING":     "The refactoring is not known, or was applied before. | Call list_refactorings again.",
	"NO_REFACTORING":          "No language server makes a method or function of this code. | Select whole statements of one function, or an expression.",
	"NO_NAME_TO_GIVE":         "It is not clear what of a refactoring the name is for. | Leave the name out, and call rename_symbol after applying.",
	"NEEDS_LOGIN":             "A server behind a gateway needs a login of its user, or the login is not good any more. Nothing was done. | Open the page that the error names, or log in as it says, then call again.",
	"NAME_TAKEN":              "The name for what is new stands in a changed file already. | Choose another name.",
	"PROJECT_NOT_INDEXED":     "The language server does not know all files with the name, and a rename would leave the name in others. Nothing was written. | Make the file that lists the sources, which the error names, or change the named files by other means.",
	"UNKNOWN_GROUP":           "There is no such active group. | Make one with create_group and give its groupId.",
	"UNKNOWN_LINE_END_POLICY": "The line-end policy is not one that is known.",
	"UNKNOWN_OUTCOME":         "The source broke off, and it is not known whether it has done what was asked. | Look before it is repeated.",
	"UNKNOWN_PROCESS":         "No process that is known has this id. | list_processes shows those that are.",
	"UNKNOWN_REVISION":        "There is no such commit, branch or tag, or not with this file. | git_branch and git_log show those that there are.",
	"UNKNOWN_ROLE":            "There is no such role. | Call list_roles to see the roles.",
	"UNKNOWN_SERVER":          "There is no such server behind the gateway. | Use a name that the list of servers has.",
	"UNKNOWN_SESSION":         "There is no such debugging session. | debug_status shows those that there are.",
	"UNKNOWN_TEST_RUN":        "Unity does not know the test run, as after a restart. | Start the tests again.",
	"UNRESOLVED_CONFLICTS":    "A file still has to be merged by hand. | Edit it until no marks are left, or abort.",
	"UNSAFE_REPOSITORY":       "The repository would have git run something, or use files elsewhere, and this cannot be turned off. | Ask the user to look at what the error names.",
}

// The table of error codes is complete: every code that the source has is in it.
func TestErrorCodesAreDocumented(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("# Error codes\n\nA tool that fails answers with `isError`, a text that begins with a code, and a next step. Programs find both in the result's\n" +
		"`_meta[\"io.github.dougu-go/error\"]`, with the reason and the path where a rule refused one.\n\n| code | meaning | next step |\n|---|---|---|\n")
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
	doc.WriteString("\n## Reasons\n\nWhy a path was refused.\n\n| reason | code |\n|---|---|\n")
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

	used := map[string]bool{"UNKNOWN_ENCODING": true, "UNKNOWN_LINE_END_POLICY": true} // which are put together
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
			t.Errorf("%s has the code %s, which nothing answers", file, code)
		}
	}
}

// codesIn are the codes of errors in a file: constants that are called so, members
// Code of literals, and what methods ErrorCode return.
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
