package rank

import (
	"slices"
	"strings"
)

// othersOf returns the synonyms and abbreviations that programmers use for a word and
// its other forms.
func othersOf(word string, forms []string) []string {
	others := slices.Clone(synonymsOf[word])
	for _, form := range forms {
		for _, other := range synonymsOf[form] {
			if other != word && !slices.Contains(forms, other) && !slices.Contains(others, other) {
				others = append(others, other)
			}
		}
	}
	return others
}

var synonymsOf = func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(synonymTable) {
		words := strings.Fields(line)
		for _, word := range words {
			for _, other := range words {
				if other != word {
					all[word] = append(all[word], other)
				}
			}
		}
	}
	return all
}()

// A line lists words with one meaning. A word may be in several lines.
const synonymTable = `
abort cancel
addr address
alloc allocate allocation
app application
arg argument
args arguments
array list slice
async asynchronous
attr attribute
auth authentication authenticate authorization
await wait
begin start
block wait
buf buffer
byte bytes
cache memoize
callback handler
calc calculate compute
cb callback
cert certificate
cfg config configuration settings
char character
check validate verify
clone copy duplicate
close shutdown
cmd command
cmp compare comparison
col column
color colour
combine concat merge
comparison compare equal
conf config configuration
config configuration settings options
conn connection
convert conversion transform
create make new
ctx context
ctor constructor
db database
decode decoder decoding
decompress inflate uncompress
compress compression deflate
delete remove erase
dep dependency
dependencies deps
desc description
dest destination dst
dict dictionary map
diff difference
dir directory folder
dirs directories folders
display render show
div divide division
doc document documentation
elem element
emit send
empty clear
encode encoder encoding
encrypt encryption cipher
end finish stop
env environment
err error
error exception failure
eval evaluate
exec execute run
exit quit
expiry expiration expire ttl
expr expression
ext extension
fetch get retrieve
fd descriptor
find lookup search
fmt format
fn func function
fs filesystem
gen generate generator
gc garbage collector
group cluster
hash digest checksum
id identifier
idx index
img image
import include
info information
init initialize initialise initialization
insert add
int integer
interp interpolation
iter iterator iterate
kill terminate
lang language
len length size
lib library
limit max maximum
load read
lock mutex
log logger logging
login signin logged
logout signout
loop iterate
mem memory
method function
mod module
msg message
mul multiply multiplication
nav navigation
net network
num number
obj object
opt option optional
parse parser parsing
password passwd
path route
perm permission
persist save store
pkg package
pos position
prev previous
priv private
proc process
prop property
ptr pointer
pub public publish
queue fifo
quote escape
rand random
rec record
recv receive
ref reference
regex regexp pattern
repo repository
req request
res resp response
retry backoff
rm remove delete
sched schedule scheduler
sec second seconds
seek offset
sem semaphore
seq sequence
serialize marshal encode
deserialize unmarshal decode
sess session
spawn fork
spec specification
split divide
sql query
src source
stack trace
stat status
stmt statement
stop terminate
str string
sub subtract
sum total
sync synchronize synchronous
sys system
temp tmp temporary
tests test
thread worker
throttle ratelimit
throw raise panic
timeout deadline
tok token
trim strip
tx transaction
txt text
unescape unquote
update modify change
url uri
usr user
util utility
val value
var variable
vec vector
ver version
win window
zip archive`
