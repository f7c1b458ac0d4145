package policy
import ("testing";"fmt";"os";"strings")
func TestQuick(t *testing.T){
 p:=labPolicy(t); w:=labWorld(); w.attended=os.Getenv("ATT")!=""
 b,_:=os.ReadFile("/tmp/forms.txt")
 for _,l:=range strings.Split(string(b),"\n"){
  if l==""{continue}
  var a Action
  if strings.HasPrefix(l,"A "){a=argvAction(strings.Split(l[2:],"␣")...)}else{a=scriptAction(strings.ReplaceAll(l,"⏎","\n"))}
  d:=w.decide(t,p,a)
  fmt.Printf("%-5s %-20s %s   || %s\n",d.Verdict,d.Rule,l,d.Reason)
 }
}
