// Package githubtest is a fake of GitHub for tests. It keeps repositories with issues, responds over real HTTP in the formats
// of GitHub's REST API (version 2022-11-28), and simulates failures.
//
// [New] returns a [Server]; Server.Add adds a [Repo], and Repo.AddIssue an [Issue]. Server.On sets a [Fault] for the next
// requests. Server.Requests returns the received requests. Server.Transport serves requests without a network, for tests with a
// fake clock.
package githubtest
