package builtin

import (
	"path"
	"strings"
	"sync"
)

// Denial is a rule that no file can remove. Most can be waived by their id;
// those that keep the agent from itself can't.
type Denial struct {
	ID       string
	Why      string
	hint     string
	Programs []string // names; a final * stands for any ending
	forms    string   // what it covers when that isn't a list of programs
	Fixed    bool     // can't be waived
}

// Form is what the rule covers, for people.
func (b *Denial) Form() string {
	if b.forms != "" {
		return b.forms
	}
	return strings.Join(b.Programs, " ")
}

// Rules are the built-in rules that speak of programs and paths. Rules that
// come from the way commands are read (builtin.computed, builtin.syntax, …) stand
// where they are applied.
var Rules = []Denial{
	{
		ID: "builtin.self", Fixed: true, forms: "state, config, policy, socket, unit and program of the agent itself; writes to its manual and skills",
		Why: "the agent's own state, settings and policy are out of its reach", hint: "use the config or session_status tool, or ask the operator",
		Programs: []string{"agent", "hardshell"},
	},
	{
		ID: "builtin.secret", forms: "keys, passwords and tokens: " + strings.Join(secretForms, " "),
		Why: "the path holds secrets", hint: "ask the person for what you need from it",
	},
	{
		ID: "builtin.device", forms: "device nodes other than /dev/null, zero, full, random and urandom",
		Why: "raw devices are driven through their tools, never by path", hint: "use the gpio, i2c, serial or sensors tool",
	},
	{
		ID: "builtin.sys", forms: "writes beneath /sys and /proc",
		Why: "kernel settings are not changed through files", hint: "use the power or gpio tool",
	},
	{
		ID: "builtin.git", forms: "writes to .git and to HEAD",
		Why: "git runs programs that its settings and hooks name", hint: "use git itself for changes to a repository",
	},
	{
		ID: "builtin.power", Why: "power, boot and services are changed through the power tool or by the operator",
		hint: "look with sensors or systemctl status; changes are the power tool's or the operator's",
		Programs: []string{
			"shutdown", "reboot", "poweroff", "halt", "init", "telinit", "runlevel", "nvpmodel", "jetson_clocks", "rtcwake",
			"pm-suspend", "pm-hibernate", "systemd", "loginctl", "busctl", "dbus-send", "gdbus", "qdbus*", "upower", "powerprofilesctl",
			"tuned-adm", "cpupower", "cpufreq-set", "x86_energy_perf_policy", "service", "initctl", "rc-service", "openrc*", "sv", "kexec", "sysctl",
			"insmod", "rmmod", "modprobe", "kmod", "hwclock", "timedatectl", "hostnamectl", "localectl", "udevadm", "nvfancontrol", "fancontrol",
		},
	},
	{
		ID: "builtin.gpio", Why: "pins and buses are driven through their tools, which know the safe levels",
		hint: "use sensors, or the gpio or i2c tool where you have one; else ask the operator",
		Programs: []string{
			"gpioset", "gpioget", "gpiomon", "gpioinfo", "gpiofind", "gpiodetect", "gpionotify", "gpio", "gpio-*", "raspi-gpio", "pinctrl", "pigs", "pigpiod",
			"i2cset", "i2cget", "i2cdetect", "i2cdump", "i2ctransfer", "spi-config", "spi-pipe", "spidev*", "devmem*", "jetson-gpio*", "lsgpio", "memtool", "busybox-devmem",
			"config-by-*", "jetson-io*",
		},
	},
	{
		ID: "builtin.disk", Why: "disks, file systems and firmware are left alone", hint: "ask the operator",
		Programs: []string{
			"mkfs*", "mke2fs", "mkswap", "mkdosfs", "mkntfs", "fdisk", "sfdisk", "cfdisk", "gdisk", "sgdisk", "cgdisk", "parted", "partprobe", "gparted",
			"wipefs", "blkdiscard", "hdparm", "sdparm", "nvme", "swapon", "swapoff", "losetup", "mount*", "umount*", "fusermount*", "cryptsetup", "mdadm", "dmsetup",
			"lvm*", "pvcreate", "pvremove", "vgcreate", "vgremove", "lvcreate", "lvremove", "fsck*", "e2fsck", "tune2fs", "resize2fs", "e2label", "debugfs", "badblocks",
			"xfs_*", "btrfs*", "zfs", "zpool", "fstrim", "eject", "sg_*", "nvflash", "tegraflash*", "tegrarcm*", "flashcp", "flash_*", "nandwrite", "nanddump", "mtd*", "ubi*",
			"fwupd*", "nvbootctrl", "nv_update_engine", "nv_bootloader*", "l4t_*", "efibootmgr", "grub-*", "update-grub", "extlinux", "kexec*",
		},
	},
	{
		ID: "builtin.escalate", Why: "no command runs as another user, in another root or outside of its session",
		hint: "ask the operator to do it",
		Programs: []string{
			"sudo", "sudoedit", "sudoreplay", "su", "doas", "pkexec", "pkcheck", "runuser", "sg", "newgrp", "newuidmap", "newgidmap", "chroot", "unshare", "nsenter",
			"capsh", "setcap", "setpriv", "chsh", "chfn", "passwd", "chpasswd", "useradd", "userdel", "usermod", "groupadd", "groupmod", "groupdel", "adduser", "deluser",
			"addgroup", "gpasswd", "vipw", "vigr", "visudo", "login", "machinectl", "systemd-run", "systemd-nspawn", "docker*", "podman*", "ctr", "nerdctl", "runc", "crun", "lxc*",
			"bwrap", "firejail", "flatpak", "snap", "proot", "fakechroot", "pivot_root", "switch_root", "chown", "chgrp", "chattr", "setfacl", "aa-*", "apparmor_parser", "setenforce",
		},
	},
	{
		ID: "builtin.net", Why: "commands have no network of their own", hint: "work with the files of the workspace; the person can fetch what is elsewhere",
		Programs: []string{
			"curl", "wget*", "aria2c", "nc", "nc.*", "ncat", "netcat", "socat", "telnet", "ssh*", "scp", "sftp", "rsync", "rsh", "rlogin", "rcp", "ftp", "lftp", "tftp", "mosh*",
			"ollama", "httpie", "http", "https", "lynx", "links", "w3m", "elinks", "iptables*", "ip6tables*", "nft", "tc", "ifconfig", "route", "nmcli", "iw", "iwconfig", "wpa_*",
			"tcpdump", "tshark", "dumpcap", "nmap", "openvpn", "wg", "wg-quick", "dig", "nslookup", "host", "ping*", "traceroute*", "mail", "sendmail", "mosquitto_*", "nats",
		},
	},
	{
		ID: "builtin.process", Why: "only the process tool ends processes, and only those that the agent started",
		hint:     "use process with action kill; the daemon is stopped by the operator",
		Programs: []string{"kill", "killall*", "pkill", "skill", "snice", "fuser", "xkill", "renice", "slay"},
	},
	{
		ID: "builtin.schedule", Why: "what runs later is on record only in the agent's own schedule", hint: "use the cron tool where you have one; else ask the person",
		Programs: []string{"crontab", "at", "atd", "atrm", "batch", "anacron", "cron", "systemd-timer*", "incrontab"},
	},
	{
		ID: "builtin.carrier", Why: "the program runs other programs in ways that can't be judged beforehand", hint: "run the inner command itself",
		Programs: []string{
			"strace", "ltrace", "gdb*", "lldb*", "valgrind", "perf", "bpftrace", "script", "scriptreplay", "expect", "unbuffer", "tmux", "screen", "dtach", "abduco", "byobu",
			"parallel", "sem", "entr", "watch", "run-parts", "start-stop-daemon", "daemonize", "daemon", "fakeroot", "qemu*", "ld.so*", "ld-*", "ld64.so*", "coreutils",
			"dbus-run-session", "dbus-launch", "xdg-open", "open", "run-mailcap", "see", "catchsegv", "numactl", "cgexec", "cgclassify", "faketime", "eatmydata", "proxychains*",
			"torsocks", "ssh-agent", "gpg-agent", "sshpass", "systemd-cat", "systemd-inhibit", "setarch", "linux32", "linux64", "i386", "x86_64", "aarch64", "uname26", "prlimit",
			"cpulimit", "trickle", "rlwrap", "pipexec", "chronic", "ifne", "ts", "sponge", "pee", "mispipe", "lckdo", "softlimit", "setlock", "multilog", "choom", "uclampset", "dpkg-trigger",
			"ptrace*", "rr", "apptainer", "singularity", "enter-chroot", "git-shell", "rbash", "busctl", "logrotate", "xinit", "startx", "Xorg", "cage", "weston", "gnome-*", "xterm", "konsole",
		},
	},
	{
		ID: "builtin.interactive", Why: "the program waits for a person at a terminal, and there is none", hint: "use read, write and edit",
		Programs: []string{"vi", "vim*", "nvim", "view", "ex", "ed", "red", "emacs*", "nano", "rnano", "pico", "joe", "mc", "mcedit", "vidir", "vipe", "htop", "btop", "iotop", "less", "more", "most", "man", "info", "dialog", "whiptail"},
	},
	{
		ID: "builtin.wait", forms: "waiting for more than 30 s in the foreground",
		Why: "a command that only waits blocks the turn", hint: "start it with background: true; what is for later is for the cron tool",
	},
}

// ByID finds a built-in rule.
func ByID(id string) *Denial {
	for i := range Rules {
		if Rules[i].ID == id {
			return &Rules[i]
		}
	}
	return nil
}

// programIndex finds the built-in rule of a program.
type programIndex struct {
	exact map[string]*Denial
	open  []prefixRule
}

// prefixRule is a name with an open end.
type prefixRule struct {
	prefix string
	rule   *Denial
}

// forbiddenPrograms indexes the programs of the built-in rules, once they are needed.
var forbiddenPrograms = sync.OnceValue(func() programIndex {
	x := programIndex{exact: map[string]*Denial{}}
	for i := range Rules {
		for _, name := range Rules[i].Programs {
			if p, ok := strings.CutSuffix(name, "*"); ok {
				x.open = append(x.open, prefixRule{p, &Rules[i]})
			} else if x.exact[name] == nil {
				x.exact[name] = &Rules[i]
			}
		}
	}
	return x
})

// Forbids finds the built-in rule that speaks of a program name.
func Forbids(name string) *Denial {
	name = path.Base(name)
	x := forbiddenPrograms()
	if b := x.exact[name]; b != nil {
		return b
	}
	for _, o := range x.open {
		if strings.HasPrefix(name, o.prefix) {
			return o.rule
		}
	}
	return nil
}
