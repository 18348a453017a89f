package caller

// MayTake reports whether a principal that holds own places may take another one, of limit places of which taken are held by all
// together. A principal that was authenticated holds at most as many places as it leaves free, and always gets a first place while
// there is one: alone it gets half of them, and no principal keeps all others out. The principal "" is bound by limit alone.
func MayTake(principal string, own, taken, limit int) bool {
	free := limit - taken
	return free > 0 && (principal == "" || own == 0 || own < free)
}
