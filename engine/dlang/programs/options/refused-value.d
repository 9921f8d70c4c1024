#pragma D option linkmode=never
BEGIN { exit(0); }
