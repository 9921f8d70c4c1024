#pragma D option amin=Evolving/Evolving/Common
#pragma D attributes Obsolete/Evolving/Common x
int x[int];
dtrace:::BEGIN { trace(x[1]); }
