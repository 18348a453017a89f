package filesystem

// CommitEvery is how long files are read before what was read can be found.
const CommitEvery = commitEvery
