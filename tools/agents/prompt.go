package agents

import (
	"context"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// maxTold bounds what an agent is told of the result of another, in bytes.
const maxTold = 2 << 10

// prompt is all that an agent is told: its role, its task, what it should know, and how it reports.
func (a *Agents) prompt(r *run, w *workplace) string {
	var b strings.Builder
	if r.agent.Follows == "" && r.role.SystemPrompt != "" {
		b.WriteString(strings.TrimSpace(r.role.SystemPrompt) + "\n\n")
	}
	b.WriteString(r.agent.Prompt)
	if len(r.agent.ContextFiles) > 0 {
		b.WriteString("\n\nRead these files first:\n")
		for _, name := range r.agent.ContextFiles {
			b.WriteString("- " + name + "\n")
		}
	}
	a.tellResults(&b, r)
	if w.branch != "" {
		fmt.Fprintf(&b, "\n\nYou work in a git worktree of your own, on the branch %s. Commit your work there, and do not merge it.", w.branch)
	}
	fmt.Fprintf(&b, "\n\n[Your agentId is %s. When you are done, or cannot go on, call the tool report_result of the MCP server %s with this agentId, status (success or failure), summary (a few sentences), editedFiles and createdFiles. If there is no such tool, end with such a summary.", r.id, a.options.ServerName)
	if r.agent.Depth+1 < a.options.MaxDepth {
		fmt.Fprintf(&b, " Agents of your own run in the group %s.", r.agent.GroupID)
	}
	b.WriteString("]\n")
	return b.String()
}

// tellResults says what became of what a run depends on.
func (a *Agents) tellResults(b *strings.Builder, r *run) {
	for i, id := range r.agent.DependsOn {
		other, err := a.store.Agent(context.WithoutCancel(a.life), id)
		if err != nil {
			continue
		}
		if i == 0 {
			b.WriteString("\n\nResults of the agents whose work you build on:\n")
		}
		fmt.Fprintf(b, "\n## %s (%s): %s\n", other.ID, other.Role, standing(other))
		if other.Result == nil {
			continue
		}
		if other.Outcome != record.Completed && other.Error != "" {
			b.WriteString("It has not completed: " + truncate.Within(other.Error, maxTold) + "\n")
		}
		if other.Result.Summary != "" {
			b.WriteString(truncate.Within(other.Result.Summary, maxTold) + "\n")
		}
		tellFiles(b, other.Result)
	}
}

// tellFiles names the files that an agent has changed.
func tellFiles(b *strings.Builder, r *record.Result) {
	for _, list := range []struct {
		what  string
		files []string
	}{{"created", r.CreatedFiles}, {"edited", r.EditedFiles}, {"deleted", r.DeletedFiles}} {
		if len(list.files) > 0 {
			b.WriteString(list.what + ": " + truncate.Within(fewFiles(list.files), maxTold) + "\n")
		}
	}
	if r.Worktree != "" {
		fmt.Fprintf(b, "in the git worktree %s, branch %s\n", r.Worktree, r.Branch)
	}
}

// fewFiles names the first of many files.
func fewFiles(files []string) string {
	const most = 20
	if len(files) > most {
		return strings.Join(files[:most], ", ") + fmt.Sprintf(" and %d more", len(files)-most)
	}
	return strings.Join(files, ", ")
}

// standing is how an agent has ended, or where it is.
func standing(agent record.Agent) string {
	if agent.Outcome == "" {
		return string(agent.Status)
	}
	if agent.Result != nil && agent.Result.StatusSource == record.FromReport {
		return string(agent.Outcome) + ", reported " + string(agent.Result.Status)
	}
	return string(agent.Outcome)
}
