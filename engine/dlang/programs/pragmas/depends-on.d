#pragma D depends_on provider profile
#pragma D depends_on module vmlinux
BEGIN { exit(0); }
