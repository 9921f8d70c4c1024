#pragma D option pspec

BEGIN

BEGIN { exit(0); }
