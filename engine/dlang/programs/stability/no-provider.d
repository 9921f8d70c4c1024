#pragma D option amin=Evolving/Evolving/Common
dtrace:::END,
BEGIN { }
