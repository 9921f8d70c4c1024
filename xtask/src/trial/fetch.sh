# Fetches what the trial installs into the cache of apt in the folder $1: the packages, the headers of the kernel there, and
# two more kernels, of whose names $2 and $3 are the ends. It is quoted by apostrophes, so it has none.
export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG"
fetch() { apt-get -q -y --download-only install "$@"; }
# A package of a release depends on the one of that version. The latter does not depend on firmware.
release() { apt-cache depends "linux-image-$1" | sed -n "s/^ *Depends: linux-image-\([0-9]\)/\1/p" | head -n 1; }
running=$(basename "$1"/boot/vmlinuz-* | sed s/vmlinuz-//)
another=$(release $2)
refused=$(release $3)
[ "$another" ]
[ "$refused" ]
printf "another=%s\nrefused=%s\n" $another $refused >"$1/root/kernels"
fetch -o APT::Install-Recommends=true "$1"/root/*.deb linux-headers-$running
fetch --no-install-recommends linux-image-$another linux-headers-$another linux-image-$refused linux-headers-$refused
