// Package githubtest is a small GitHub for tests: it keeps repositories with issues,
// answers over real HTTP in the shapes of GitHub's REST interface ("2022-11-28"),
// and fails as GitHub does when it is told to.
package githubtest
