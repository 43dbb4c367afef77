#!/bin/sh
# Boot systemd over a copy of this machine's root that is gone afterwards. Runs in namespaces of its own
# (mount, process, network, cgroup, …), as their first process.
#   boot.sh SCRATCH PYTHON PACKAGES PROGRAM MODELS
# SCRATCH: an empty directory; PYTHON: prefix of an interpreter; PACKAGES: its site-packages with what
# ashd needs; PROGRAM: ashd as pip would install it; MODELS: what goes into its folder of that name.
# Exit status 75: the kernel refuses a mount.
set -u
scratch=$1 python=$2 packages=$3 program=$4 models=$5
root=$scratch/root

attach() {
    mount "$@" || exit 75
}

attach -t tmpfs -o mode=755 scratch "$scratch"
mkdir "$scratch/upper" "$scratch/work" "$root"
attach -t overlay -o "lowerdir=/,upperdir=$scratch/upper,workdir=$scratch/work" overlay "$root"
attach -t proc proc "$root/proc"
attach -t sysfs -o ro sysfs "$root/sys"
attach -t tmpfs -o mode=755 tmpfs "$root/dev"
mkdir "$root/dev/pts" "$root/dev/shm"
attach -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
attach -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
attach -t tmpfs -o mode=755 tmpfs "$root/run"
attach -t tmpfs -o mode=1777 tmpfs "$root/tmp"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for device in null zero full random urandom tty kmsg; do
    cp -a "/dev/$device" "$root/dev/$device" || exit 75
done

# The same layout of control groups as outside.
groups=$root/sys/fs/cgroup
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    attach -t cgroup2 cgroup2 "$groups"
else
    attach -t tmpfs -o mode=755 tmpfs "$groups"
    mkdir "$groups/systemd" "$groups/unified"
    attach -t cgroup -o none,name=systemd cgroup "$groups/systemd"
    mount -t cgroup2 cgroup2 "$groups/unified" || rmdir "$groups/unified"
    for controller in memory pids; do
        mkdir "$groups/$controller"
        mount -t cgroup -o "$controller" cgroup "$groups/$controller" || rmdir "$groups/$controller"
    done
fi

# Nothing of the machine's own starts but the journal.
rm -rf "$root/etc/systemd/system" "$root/etc/systemd/user" "$root/var/lib/ashd"
mkdir -p "$root/etc/systemd/system"
for target in sysinit multi-user timers sockets local-fs; do
    for unit in "$root/lib/systemd/system/$target.target.wants"/*; do
        case $unit in
        */systemd-journald*) ;;
        *) ln -s /dev/null "$root/etc/systemd/system/${unit##*/}" 2>/dev/null ;;
        esac
    done
done
ln -s /lib/systemd/system/multi-user.target "$root/etc/systemd/system/default.target"
echo 'root:x:0:0::/root:/bin/sh
nobody:x:65534:65534::/:/bin/false
alice:x:4001:4001::/home/alice:/bin/sh' >"$root/etc/passwd"
echo 'root:x:0:
tty:x:5:
adm:x:4:
systemd-journal:x:101:
nogroup:x:65534:
alice:x:4001:' >"$root/etc/group"
mkdir -p "$root/home/alice"
chown 4001:4001 "$root/home/alice"

mkdir -p "$root/opt/python" "$root/opt/packages" "$root/opt/ashd"
attach --bind "$python" "$root/opt/python"
attach --bind "$packages" "$root/opt/packages"
attach --bind "$program" "$root/opt/ashd"
attach --bind "$models" "$root/opt/ashd/models"
# The interpreter's own library, for one that was built to find it where it no longer is.
if [ "$python" != /usr ]; then
    for library in "$python"/lib/libpython*.so.*; do
        for folder in "$root/usr/lib" "$root"/usr/lib/*-linux-gnu; do
            [ -e "$library" ] && ln -sf "/opt/python/lib/${library##*/}" "$folder"
        done
    done
fi

cd "$root" || exit 1
mkdir .outside
pivot_root . .outside || exit 75
umount -l /.outside
rmdir /.outside
# As on a machine: a service's own mounts reach its namespace from the outer one.
mount --make-rshared /
hostname ash-test
exec env -i container=ash-test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd
