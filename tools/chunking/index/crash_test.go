package index_test

func crash(string) {}
