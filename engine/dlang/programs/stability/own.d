#pragma D option amin=Stable/Stable/Common
dtrace:::BEGIN { trace(cpuoffset); }
