package parsecheck_test
import ("testing";"github.com/dougu-go/dougu/internal/parsecheck";"github.com/dougu-go/dougu/tools/chunking/parse";"github.com/dougu-go/dougu/tools/chunking/parse/outline")
func TestZZ(t *testing.T){
 for _,x:=range []struct{l parse.Language;pk,suf,kinds []string}{{parse.C,[]string{"zlib","lua5.4","redis","curl"},[]string{".c",".h"},[]string{"variable","member","enumerator","macro"}},{parse.CPP,[]string{"leveldb","re2","googletest","abseil","rocksdb"},[]string{".cc",".h"},[]string{"variable","member","enumerator","macro","namespace"}}}{
  var total parsecheck.Score
  for _,name:=range x.pk{ dir:=source(t,name); files:=parsecheck.Files(t,dir,x.suf...); want:=ctags(t,x.l,dir,files,x.kinds...)
  got,_:=parsecheck.Parse(t,outline.Parser{},x.l,dir,files,parsecheck.Want{Chunk:func(_ *parse.File,c *parse.Chunk)bool{return c.Kind.Value()||c.Kind==parse.Macro||c.Kind==parse.Module},Name:true})
  for _,m:=range []parsecheck.Found{want,got}{for _,ds:=range m{for i:=range ds{if k:=ds[i].Kind; k!="macro"&&k!="module"&&k!="namespace"{ds[i].End=ds[i].Start}}}}
  later:=branches(t,dir,files); without(want,later); without(got,later)
  add(&total,parsecheck.Compare(want,got))}
  t.Log(x.l,total.HeldOut); t.Log(total.Tuning)
  for i,d:=range total.Differences{if i%7==0{t.Log(d)}}
 }
}
