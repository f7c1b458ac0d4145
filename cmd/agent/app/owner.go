package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"hardshell/runtime/config"
	"hardshell/runtime/event"
)

// OtherOwner says that a state folder is another user's. The agent there is talked to and
// never held: what root or a member of its group wrote into the folder, its own user
// could not change.
type OtherOwner struct {
	state   string
	owner   string // name of the user, or the number of one without a name
	group   string // whose members may talk to an installed agent
	machine bool   // it is the installed agent, a service
}

// OtherOwnerOf tells whose a state folder is when it is not for this user to hold; nil
// when it is, or when it is not there yet. Where an ordinary user can write into the
// folder of another, that was meant.
func OtherOwnerOf(state string) *OtherOwner {
	at := state
	if state == config.MachineState {
		at = filepath.Dir(state) // the service's too, and everybody sees it
	} else if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(at)
	if err != nil {
		return nil
	}
	o := &OtherOwner{state: state, machine: at != state}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() {
		return nil
	}
	o.owner, o.group = strconv.Itoa(int(st.Uid)), strconv.Itoa(int(st.Gid))
	if u, err := user.LookupId(o.owner); err == nil {
		o.owner = u.Username
	}
	if g, err := user.LookupGroupId(o.group); err == nil {
		o.group = g.Name
	}
	return o
}

func (o *OtherOwner) Error() string {
	return fmt.Sprintf("the state folder %s belongs to %s, and only that user's agent may hold it", o.state, o.owner)
}

// Hint says what to do instead.
func (o *OtherOwner) Hint() string {
	if o.machine {
		return "start the service: sudo systemctl start hardshell"
	}
	return "run it as " + o.owner + ", or name another folder with --state"
}

// Unreached says why that agent, which does not answer at its socket, can't be
// talked to.
func (o *OtherOwner) Unreached(socket string) error {
	p := &event.Problem{Code: "store_others", Message: o.Error() + "; nobody answers at " + socket, Hint: o.Hint()}
	switch {
	case o.Shut():
		p.Message = fmt.Sprintf("the agent of this machine serves root and members of the group %s, and this user is none", o.group)
		p.Hint = fmt.Sprintf("sudo usermod -aG %s %s, then log in anew", o.group, me())
	case o.machine:
		p.Message = "the agent of this machine does not run: nobody answers at " + socket
		p.Hint = "sudo systemctl start hardshell; journalctl -u hardshell -e tells why it ended"
	}
	return p
}

// Shut reports whether the socket's folder is closed to this user.
func (o *OtherOwner) Shut() bool {
	return o.machine && errors.Is(unix.Access(runDir, unix.X_OK), fs.ErrPermission)
}

// me is this user's name.
func me() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
}
