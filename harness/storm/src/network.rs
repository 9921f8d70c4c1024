//! A TCP connection and datagrams over loopback.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::thread;

use crate::Error;
use crate::options::Options;

const HERE: (Ipv4Addr, u16) = (Ipv4Addr::LOCALHOST, 0);
const BYTES: usize = 20_000;

pub fn round(_: &Options) -> Result<(), Error> {
    stream()?;
    datagrams()
}

/// Sends bytes to a thread that echoes them.
fn stream() -> Result<(), Error> {
    let listener = TcpListener::bind(HERE)?;
    let address = listener.local_addr()?;
    let sent: Vec<u8> = (0..=250).cycle().take(BYTES).collect();
    let mut got = vec![0; BYTES];
    thread::scope(|scope| {
        let echo = scope.spawn(|| {
            let (mut there, _) = listener.accept()?;
            let mut all = vec![0; BYTES];
            there.read_exact(&mut all)?;
            there.write_all(&all)
        });
        let mut here = TcpStream::connect(address)?;
        here.write_all(&sent)?;
        here.read_exact(&mut got)?;
        echo.join().unwrap_or(Ok(()))
    })?;
    is_same(got == sent)
}

fn datagrams() -> Result<(), Error> {
    let (here, there) = (UdpSocket::bind(HERE)?, UdpSocket::bind(HERE)?);
    let mut got = [0; 3];
    for number in 0..20 {
        here.send_to(&[number, 1, 2], there.local_addr()?)?;
        there.recv_from(&mut got)?;
        is_same(got == [number, 1, 2])?;
    }
    Ok(())
}

fn is_same(yes: bool) -> Result<(), Error> {
    if yes {
        return Ok(());
    }
    Err(Error::Wrong(
        "the received data differs from the sent data".into(),
    ))
}
