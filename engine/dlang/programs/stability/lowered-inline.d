#pragma D option amin=Evolving/Evolving/Common
inline int next[int n] = n + 1;
#pragma D attributes Evolving/Evolving/Group next
dtrace:::BEGIN { trace(next[1]); }
