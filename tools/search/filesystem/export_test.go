package filesystem

// CommitInterval exports commitInterval for tests.
const CommitInterval = commitInterval
