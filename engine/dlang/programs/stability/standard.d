#pragma D option amin=Standard/Stable/Common
dtrace:::BEGIN { }
