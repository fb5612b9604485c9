<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>ActivityBar</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>{count} more</source>
        <translation>另有 {count} 项</translation>
    </message>
    <message>
        <source>Alerts: {count}</source>
        <translation>告警：{count}</translation>
    </message>
</context>
<context>
    <name>ActivityList</name>
    <message>
        <source>Nothing runs at the moment.</source>
        <translation>目前没有正在进行的工作。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>CommandMenu</name>
    <message>
        <source>Copy as command</source>
        <translation>复制为命令</translation>
    </message>
    <message>
        <source>Choose a host first</source>
        <translation>请先选择主机</translation>
    </message>
    <message>
        <source>Copied: {command}</source>
        <translation>已复制：{command}</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Add over SSH</source>
        <translation>通过 SSH 添加</translation>
    </message>
    <message>
        <source>Add this computer</source>
        <translation>添加本机</translation>
    </message>
    <message>
        <source>Import from SSH config</source>
        <translation>从 SSH 配置导入</translation>
    </message>
    <message>
        <source>Try the demo host</source>
        <translation>试用演示主机</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>断开</translation>
    </message>
    <message>
        <source>Take fingerprint</source>
        <translation>采集指纹</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>刷新</translation>
    </message>
    <message>
        <source>Recent errors</source>
        <translation>最近的错误</translation>
    </message>
    <message>
        <source>Help on this page</source>
        <translation>本页帮助</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>复制为命令</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Deployment</source>
        <translation>部署</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置项</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
</context>
<context>
    <name>ConfirmDialog</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>ErrorBanner</name>
    <message>
        <source>Copy details</source>
        <translation>复制详情</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>ErrorList</name>
    <message>
        <source>Copy details</source>
        <translation>复制详情</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
</context>
<context>
    <name>HostBar</name>
    <message>
        <source>Manage hosts</source>
        <translation>管理主机</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>Recorded hardware and a simulated engine: nothing here is measured live.</source>
        <translation>录制的硬件和模拟的引擎，此处没有任何实测数据。</translation>
    </message>
    <message>
        <source>Choose a host</source>
        <translation>选择主机</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>断开</translation>
    </message>
    <message>
        <source>Take fingerprint</source>
        <translation>采集指纹</translation>
    </message>
</context>
<context>
    <name>HostEmpty</name>
    <message>
        <source>No host chosen</source>
        <translation>未选择主机</translation>
    </message>
    <message>
        <source>Choose a host on the Hosts page first.</source>
        <translation>请先在“主机”页选择一台主机。</translation>
    </message>
    <message>
        <source>{host} is a record</source>
        <translation>{host} 只是一份记录</translation>
    </message>
    <message>
        <source>It was opened from a file or thought of, so nothing can be connected. Its fingerprint, its topology and a plan for it are there.</source>
        <translation>它来自文件或假设，没有可以连接的机器。可以查看它的指纹和拓扑，也可以为它做规划。</translation>
    </message>
    <message>
        <source>Connecting to {host}</source>
        <translation>正在连接 {host}</translation>
    </message>
    <message>
        <source>{host} is not connected</source>
        <translation>{host} 未连接</translation>
    </message>
    <message>
        <source>Open Hosts</source>
        <translation>打开“主机”页</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
</context>
<context>
    <name>HostTexts</name>
    <message>
        <source>Not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>Connecting</source>
        <translation>连接中</translation>
    </message>
    <message>
        <source>Connected</source>
        <translation>已连接</translation>
    </message>
    <message>
        <source>Connection lost</source>
        <translation>连接中断</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>SSH</source>
        <translation>SSH</translation>
    </message>
    <message>
        <source>Demo</source>
        <translation>演示</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>离线记录</translation>
    </message>
    <message>
        <source>Key not accepted yet</source>
        <translation>主机密钥待确认</translation>
    </message>
    <message>
        <source>Password needed</source>
        <translation>需要密码</translation>
    </message>
    <message>
        <source>now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从未</translation>
    </message>
    <message>
        <source>just now</source>
        <translation>刚刚</translation>
    </message>
    <message>
        <source>{count} min ago</source>
        <translation>{count} 分钟前</translation>
    </message>
    <message>
        <source>{count} h ago</source>
        <translation>{count} 小时前</translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message>
        <source>Close details</source>
        <translation>关闭详情</translation>
    </message>
</context>
<context>
    <name>KeyChangedDialog</name>
    <message>
        <source>The key of {host} is revoked</source>
        <translation>{host} 的密钥已被吊销</translation>
    </message>
    <message>
        <source>The key of {host} has changed</source>
        <translation>{host} 的密钥已变更</translation>
    </message>
    <message>
        <source>Accept the new key</source>
        <translation>接受新密钥</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Known so far</source>
        <translation>原有密钥</translation>
    </message>
    <message>
        <source>Shown now</source>
        <translation>当前密钥</translation>
    </message>
    <message>
        <source>The administrator has confirmed the new fingerprint</source>
        <translation>管理员已确认新的密钥指纹</translation>
    </message>
</context>
<context>
    <name>KeyDialog</name>
    <message>
        <source>First contact with {host}</source>
        <translation>首次连接 {host}</translation>
    </message>
    <message>
        <source>Accept and connect</source>
        <translation>接受并连接</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>This host was never seen before. Compare its key with what the host&apos;s administrator tells you; accept it only when both are the same. Nothing secret was sent yet.</source>
        <translation>这是第一次连接这台主机。请将密钥与主机管理员提供的值核对，完全一致才接受。目前尚未发送任何机密。</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Key type</source>
        <translation>密钥类型</translation>
    </message>
    <message>
        <source>SHA-256</source>
        <translation>SHA-256</translation>
    </message>
</context>
<context>
    <name>Keys</name>
    <message>
        <source>Find anything: the palette</source>
        <translation>查找一切：命令面板</translation>
    </message>
    <message>
        <source>Help on the page in front</source>
        <translation>当前页面的帮助</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>刷新</translation>
    </message>
    <message>
        <source>Close the details, then cancel what the page runs</source>
        <translation>先关闭详情，再取消页面正在进行的操作</translation>
    </message>
    <message>
        <source>Copy what the page does as a command</source>
        <translation>将页面的操作复制为命令</translation>
    </message>
    <message>
        <source>Close the window; hosts go on</source>
        <translation>关闭窗口；主机上的任务照常运行</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Take back what was just done</source>
        <translation>撤销刚才的操作</translation>
    </message>
    <message>
        <source>Edit the chosen host</source>
        <translation>编辑所选主机</translation>
    </message>
    <message>
        <source>Details of the chosen host</source>
        <translation>所选主机的详情</translation>
    </message>
    <message>
        <source>Copy the chosen host&apos;s SSH command</source>
        <translation>复制所选主机的 SSH 命令</translation>
    </message>
    <message>
        <source>Search the checks</source>
        <translation>搜索检查项</translation>
    </message>
    <message>
        <source>Copy what is shown</source>
        <translation>复制显示的内容</translation>
    </message>
    <message>
        <source>Save the fingerprint</source>
        <translation>保存指纹</translation>
    </message>
    <message>
        <source>Fit the picture</source>
        <translation>适应窗口</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>Next GPU</source>
        <translation>下一个 GPU</translation>
    </message>
    <message>
        <source>GPU before</source>
        <translation>上一个 GPU</translation>
    </message>
    <message>
        <source>Choose the GPU as well</source>
        <translation>追加选择该 GPU</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Step before</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>搜索日志</translation>
    </message>
    <message>
        <source>Next match in the log</source>
        <translation>日志中的下一个匹配</translation>
    </message>
    <message>
        <source>Match before in the log</source>
        <translation>日志中的上一个匹配</translation>
    </message>
    <message>
        <source>Go to a time in the log</source>
        <translation>在日志中跳到某一时间</translation>
    </message>
    <message>
        <source>Copy lines of the log</source>
        <translation>复制日志行</translation>
    </message>
    <message>
        <source>Look earlier</source>
        <translation>往前看</translation>
    </message>
    <message>
        <source>Look later</source>
        <translation>往后看</translation>
    </message>
    <message>
        <source>Less time, in more detail</source>
        <translation>缩短时间范围</translation>
    </message>
    <message>
        <source>More time</source>
        <translation>扩大时间范围</translation>
    </message>
    <message>
        <source>Back to now</source>
        <translation>回到现在</translation>
    </message>
    <message>
        <source>Move the cross-hair</source>
        <translation>移动十字线</translation>
    </message>
    <message>
        <source>Read what was copied</source>
        <translation>读取剪贴板内容</translation>
    </message>
    <message>
        <source>Open a file</source>
        <translation>打开文件</translation>
    </message>
    <message>
        <source>Open the chosen row</source>
        <translation>打开所选行</translation>
    </message>
    <message>
        <source>Remove the chosen row</source>
        <translation>移除所选行</translation>
    </message>
    <message>
        <source>Menu of the chosen row</source>
        <translation>所选行的菜单</translation>
    </message>
    <message>
        <source>Go to the next control</source>
        <translation>移到下一个控件</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Recent errors</source>
        <translation>最近的错误</translation>
    </message>
    <message>
        <source>Alerts</source>
        <translation>告警</translation>
    </message>
    <message>
        <source>Running work</source>
        <translation>正在进行的工作</translation>
    </message>
    <message>
        <source>Connected to {host}</source>
        <translation>已连接到 {host}</translation>
    </message>
    <message>
        <source>Pitwall {version} is out. Settings say where it was looked for.</source>
        <translation>Pitwall {version} 已发布。查询地址见“设置”。</translation>
    </message>
</context>
<context>
    <name>Messages</name>
    <message>
        <source>Something that was entered cannot be used.</source>
        <translation>输入的内容无法使用。</translation>
    </message>
    <message>
        <source>Correct the marked field and try again.</source>
        <translation>请改正标出的字段后重试。</translation>
    </message>
    <message>
        <source>“{value}” cannot be used for {field}.</source>
        <translation>“{value}”不能用作 {field}。</translation>
    </message>
    <message>
        <source>The name is already in use.</source>
        <translation>名称已被占用。</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>请换一个名称。</translation>
    </message>
    <message>
        <source>The name “{name}” is already in use.</source>
        <translation>名称“{name}”已被占用。</translation>
    </message>
    <message>
        <source>What was asked for does not exist here.</source>
        <translation>所请求的内容不存在。</translation>
    </message>
    <message>
        <source>Check the name; the list shows what there is.</source>
        <translation>请检查名称，列表中有全部可用项。</translation>
    </message>
    <message>
        <source>“{name}” does not exist here.</source>
        <translation>“{name}”不存在。</translation>
    </message>
    <message>
        <source>The name fits more than one thing.</source>
        <translation>该名称对应多个对象。</translation>
    </message>
    <message>
        <source>Write more of it, or choose from the list.</source>
        <translation>请写得更完整，或从列表中选择。</translation>
    </message>
    <message>
        <source>“{name}” fits more than one thing.</source>
        <translation>“{name}”对应多个对象。</translation>
    </message>
    <message>
        <source>The file could not be read.</source>
        <translation>无法读取文件。</translation>
    </message>
    <message>
        <source>Check that it exists and that you may read it.</source>
        <translation>请确认文件存在，并且有读取权限。</translation>
    </message>
    <message>
        <source>{file} could not be read.</source>
        <translation>无法读取 {file}。</translation>
    </message>
    <message>
        <source>The file could not be written.</source>
        <translation>无法写入文件。</translation>
    </message>
    <message>
        <source>Choose another folder, or free some space.</source>
        <translation>请换一个文件夹，或释放一些空间。</translation>
    </message>
    <message>
        <source>{file} could not be written.</source>
        <translation>无法写入 {file}。</translation>
    </message>
    <message>
        <source>There is no display to open a window on.</source>
        <translation>没有可用的显示器，无法打开窗口。</translation>
    </message>
    <message>
        <source>Log in with a desktop, forward X11, or use the command line.</source>
        <translation>请登录图形桌面、转发 X11，或使用命令行。</translation>
    </message>
    <message>
        <source>The host does not answer.</source>
        <translation>主机没有响应。</translation>
    </message>
    <message>
        <source>Check address, port, network and VPN, then connect again.</source>
        <translation>请检查地址、端口、网络和 VPN，然后重新连接。</translation>
    </message>
    <message>
        <source>{host} does not answer on port {port}.</source>
        <translation>{host} 在端口 {port} 上没有响应。</translation>
    </message>
    <message>
        <source>The host name cannot be resolved.</source>
        <translation>无法解析主机名。</translation>
    </message>
    <message>
        <source>Check the spelling, or give the IP address.</source>
        <translation>请检查拼写，或改填 IP 地址。</translation>
    </message>
    <message>
        <source>The name {host} cannot be resolved.</source>
        <translation>无法解析主机名 {host}。</translation>
    </message>
    <message>
        <source>This host was never seen before; its key is unknown.</source>
        <translation>首次连接这台主机，其密钥未知。</translation>
    </message>
    <message>
        <source>Compare the key&apos;s SHA-256 with what its administrator says, then accept it.</source>
        <translation>请将密钥的 SHA-256 与管理员提供的值核对，一致后再接受。</translation>
    </message>
    <message>
        <source>The host shows another key than before. It may have been reinstalled, or someone stands in between. Nothing secret was sent.</source>
        <translation>主机出示的密钥与以前不同：可能重装过系统，也可能有人在中间截听。没有发送任何机密。</translation>
    </message>
    <message>
        <source>The key of {host} is unknown: {sha256}.</source>
        <translation>{host} 的密钥未知：{sha256}。</translation>
    </message>
    <message>
        <source>Ask the host&apos;s administrator. Only when the change is confirmed, accept the new key.</source>
        <translation>请询问主机管理员，确认变更属实后再接受新密钥。</translation>
    </message>
    <message>
        <source>{host} shows another key than before. It may have been reinstalled, or someone stands in between. Nothing secret was sent.</source>
        <translation>{host} 出示的密钥与以前不同：可能重装过系统，也可能有人在中间截听。没有发送任何机密。</translation>
    </message>
    <message>
        <source>The host&apos;s key is marked as revoked.</source>
        <translation>主机密钥已标记为吊销。</translation>
    </message>
    <message>
        <source>Do not connect; ask the host&apos;s administrator.</source>
        <translation>请勿连接，并联系主机管理员。</translation>
    </message>
    <message>
        <source>The key of {host} is marked as revoked.</source>
        <translation>{host} 的密钥已标记为吊销。</translation>
    </message>
    <message>
        <source>The host refused the login.</source>
        <translation>主机拒绝登录。</translation>
    </message>
    <message>
        <source>Check user name, password or key.</source>
        <translation>请检查用户名、密码或密钥。</translation>
    </message>
    <message>
        <source>{host} refused the login of {user}.</source>
        <translation>{host} 拒绝了 {user} 的登录。</translation>
    </message>
    <message>
        <source>The host asks for a password.</source>
        <translation>主机要求输入密码。</translation>
    </message>
    <message>
        <source>Enter it; it stays in memory unless you have it remembered in the system&apos;s keyring.</source>
        <translation>请输入密码；除非选择记住到系统密钥环，否则只留在内存中。</translation>
    </message>
    <message>
        <source>{host} asks for the password of {user}.</source>
        <translation>{host} 要求输入 {user} 的密码。</translation>
    </message>
    <message>
        <source>The key file cannot be used.</source>
        <translation>密钥文件无法使用。</translation>
    </message>
    <message>
        <source>Check the path and the file&apos;s permissions, and enter its passphrase.</source>
        <translation>请检查路径和文件权限，并输入口令。</translation>
    </message>
    <message>
        <source>The key file {path} cannot be used.</source>
        <translation>密钥文件 {path} 无法使用。</translation>
    </message>
    <message>
        <source>The system&apos;s keyring keeps nothing at the moment.</source>
        <translation>系统密钥环目前无法保存密码。</translation>
    </message>
    <message>
        <source>Unlock or start it, then try again; until then secrets are held in memory only.</source>
        <translation>请解锁或启动密钥环后重试；在此之前密码只留在内存中。</translation>
    </message>
    <message>
        <source>The connection to the host broke.</source>
        <translation>与主机的连接已中断。</translation>
    </message>
    <message>
        <source>Pitwall tries again by itself; what runs on the host goes on.</source>
        <translation>Pitwall 会自动重试，主机上运行的内容不受影响。</translation>
    </message>
    <message>
        <source>The connection to {host} broke.</source>
        <translation>与 {host} 的连接已中断。</translation>
    </message>
    <message>
        <source>The host is not connected.</source>
        <translation>主机未连接。</translation>
    </message>
    <message>
        <source>Connect it first.</source>
        <translation>请先连接。</translation>
    </message>
    <message>
        <source>{host} is not connected.</source>
        <translation>{host} 未连接。</translation>
    </message>
    <message>
        <source>This host is a record; there is no connection to it.</source>
        <translation>该主机只是一份记录，没有连接。</translation>
    </message>
    <message>
        <source>Facts, topology, checks and plans work on it. To deploy, add the machine itself.</source>
        <translation>可以查看事实、拓扑、检查和规划。要部署，请添加真实的机器。</translation>
    </message>
    <message>
        <source>{host} is a record of what was sent; there is no connection to it.</source>
        <translation>{host} 是由收到的资料生成的记录，没有连接。</translation>
    </message>
    <message>
        <source>The host refused another channel on the connection.</source>
        <translation>主机拒绝在此连接上再开通道。</translation>
    </message>
    <message>
        <source>Its SSH server may forbid forwarding or limit sessions; ask its administrator.</source>
        <translation>其 SSH 服务可能禁止转发或限制会话数，请咨询管理员。</translation>
    </message>
    <message>
        <source>A command on the host did not end in time.</source>
        <translation>主机上的命令没有按时结束。</translation>
    </message>
    <message>
        <source>Try again; when it stays so, look at the host&apos;s load and driver.</source>
        <translation>请重试；如果一直如此，请检查主机负载和驱动。</translation>
    </message>
    <message>
        <source>“{command}” did not end in time on the host.</source>
        <translation>主机上的“{command}”没有按时结束。</translation>
    </message>
    <message>
        <source>A command on the host failed.</source>
        <translation>主机上的命令执行失败。</translation>
    </message>
    <message>
        <source>The details show what it printed.</source>
        <translation>详情中有它的输出。</translation>
    </message>
    <message>
        <source>“{command}” failed on the host.</source>
        <translation>主机上的“{command}”执行失败。</translation>
    </message>
    <message>
        <source>A tool is missing on the host.</source>
        <translation>主机上缺少所需工具。</translation>
    </message>
    <message>
        <source>Install it there, or go on without the facts it gives.</source>
        <translation>请在主机上安装，或在缺少这些信息的情况下继续。</translation>
    </message>
    <message>
        <source>“{tool}” is missing on the host.</source>
        <translation>主机上缺少“{tool}”。</translation>
    </message>
    <message>
        <source>The host&apos;s user may not do this.</source>
        <translation>主机上的用户没有相应权限。</translation>
    </message>
    <message>
        <source>Use another user, or ask for the permission.</source>
        <translation>请换一个用户，或申请权限。</translation>
    </message>
    <message>
        <source>The host&apos;s user may not access {path}.</source>
        <translation>主机上的用户无权访问 {path}。</translation>
    </message>
    <message>
        <source>There is no container engine on the host.</source>
        <translation>主机上没有容器引擎。</translation>
    </message>
    <message>
        <source>Install Docker or Podman, or set the path of its socket.</source>
        <translation>请安装 Docker 或 Podman，或设置其套接字路径。</translation>
    </message>
    <message>
        <source>The container engine does not answer.</source>
        <translation>容器引擎没有响应。</translation>
    </message>
    <message>
        <source>Start the service on the host, or correct the path of its socket.</source>
        <translation>请在主机上启动该服务，或更正套接字路径。</translation>
    </message>
    <message>
        <source>The host&apos;s user may not use the container engine.</source>
        <translation>主机上的用户无权使用容器引擎。</translation>
    </message>
    <message>
        <source>Add the user to the docker group, or use another user.</source>
        <translation>请把该用户加入 docker 组，或换一个用户。</translation>
    </message>
    <message>
        <source>The container engine refused the request.</source>
        <translation>容器引擎拒绝了请求。</translation>
    </message>
    <message>
        <source>The details show its answer.</source>
        <translation>详情中有它的回答。</translation>
    </message>
    <message>
        <source>The image is not on the host.</source>
        <translation>主机上没有该镜像。</translation>
    </message>
    <message>
        <source>Let it be fetched, or load it from a file.</source>
        <translation>请拉取镜像，或从文件导入。</translation>
    </message>
    <message>
        <source>The image {image} is not on the host.</source>
        <translation>主机上没有镜像 {image}。</translation>
    </message>
    <message>
        <source>The image could not be fetched.</source>
        <translation>无法拉取镜像。</translation>
    </message>
    <message>
        <source>Check the network and the registry, or load the image from a file.</source>
        <translation>请检查网络和镜像仓库，或从文件导入镜像。</translation>
    </message>
    <message>
        <source>The image {image} could not be fetched.</source>
        <translation>无法拉取镜像 {image}。</translation>
    </message>
    <message>
        <source>Containers cannot use the GPUs of this host.</source>
        <translation>这台主机上的容器不能使用 GPU。</translation>
    </message>
    <message>
        <source>Install the NVIDIA Container Toolkit and restart the container engine.</source>
        <translation>请安装 NVIDIA Container Toolkit 并重启容器引擎。</translation>
    </message>
    <message>
        <source>The port is in use on the host.</source>
        <translation>主机上的端口已被占用。</translation>
    </message>
    <message>
        <source>Choose another port, or stop what uses it.</source>
        <translation>请换一个端口，或停止占用它的程序。</translation>
    </message>
    <message>
        <source>Port {port} is in use on the host.</source>
        <translation>主机上的端口 {port} 已被占用。</translation>
    </message>
    <message>
        <source>The container is gone.</source>
        <translation>容器已不存在。</translation>
    </message>
    <message>
        <source>Refresh the list; deploy again if it is still wanted.</source>
        <translation>请刷新列表；如仍需要，请重新部署。</translation>
    </message>
    <message>
        <source>The container {container} is gone.</source>
        <translation>容器 {container} 已不存在。</translation>
    </message>
    <message>
        <source>A container of this name exists already.</source>
        <translation>已有同名容器。</translation>
    </message>
    <message>
        <source>Choose another deployment name, or remove the old container.</source>
        <translation>请换一个部署名称，或移除旧容器。</translation>
    </message>
    <message>
        <source>A container named {name} exists already.</source>
        <translation>已有名为 {name} 的容器。</translation>
    </message>
    <message>
        <source>The model does not fit into the GPU memory.</source>
        <translation>显存放不下该模型。</translation>
    </message>
    <message>
        <source>Use more GPUs, a smaller context, fewer requests at once or a quantized model.</source>
        <translation>请增加 GPU、缩短上下文、降低并发，或改用量化模型。</translation>
    </message>
    <message>
        <source>Something else uses the GPU&apos;s memory.</source>
        <translation>GPU 显存被其他程序占用。</translation>
    </message>
    <message>
        <source>The checks of the host say who; stop that, choose another GPU, or lower the engine&apos;s memory fraction.</source>
        <translation>主机检查会列出占用者；请停止它、换一块 GPU，或降低引擎的显存占比。</translation>
    </message>
    <message>
        <source>{used} of the GPU&apos;s memory are used by something else; the engine asks for {asked_gib} GiB when it starts, {missing_gib} GiB of it are not free.</source>
        <translation>{used} 显存已被其他程序占用；引擎启动时需要 {asked_gib} GiB，其中 {missing_gib} GiB 并未空闲。</translation>
    </message>
    <message>
        <source>Engine, model and hardware do not go together.</source>
        <translation>引擎、模型和硬件不能搭配使用。</translation>
    </message>
    <message>
        <source>Choose another engine or model; the plan shows the reasons.</source>
        <translation>请换一个引擎或模型，“方案”页列有原因。</translation>
    </message>
    <message>
        <source>No engine can serve this model on this host.</source>
        <translation>没有引擎能在这台主机上运行该模型。</translation>
    </message>
    <message>
        <source>Look at the reasons, and loosen the goal or choose another model.</source>
        <translation>请查看原因，放宽目标或换一个模型。</translation>
    </message>
    <message>
        <source>There is no model at this place.</source>
        <translation>此处没有模型。</translation>
    </message>
    <message>
        <source>Choose a folder with config.json or a GGUF file.</source>
        <translation>请选择含有 config.json 的文件夹，或 GGUF 文件。</translation>
    </message>
    <message>
        <source>There is no model at {path}.</source>
        <translation>{path} 处没有模型。</translation>
    </message>
    <message>
        <source>The model folder has no config.json.</source>
        <translation>模型文件夹中没有 config.json。</translation>
    </message>
    <message>
        <source>Copy the whole model folder to the host, with config.json.</source>
        <translation>请把整个模型文件夹（含 config.json）复制到主机。</translation>
    </message>
    <message>
        <source>{path} has no config.json.</source>
        <translation>{path} 中没有 config.json。</translation>
    </message>
    <message>
        <source>The model&apos;s configuration cannot be read.</source>
        <translation>无法读取模型的配置。</translation>
    </message>
    <message>
        <source>Copy the model again; the details name the broken field.</source>
        <translation>请重新复制模型，详情中指出了损坏的字段。</translation>
    </message>
    <message>
        <source>The configuration in {path} cannot be read.</source>
        <translation>无法读取 {path} 中的配置。</translation>
    </message>
    <message>
        <source>Files of the model are missing or damaged.</source>
        <translation>模型文件缺失或已损坏。</translation>
    </message>
    <message>
        <source>Complete the model; the plan&apos;s model step shows each finding with its cure.</source>
        <translation>请补全模型；规划的“模型”步骤会列出每个问题及处理办法。</translation>
    </message>
    <message>
        <source>Files of {path} are missing or damaged.</source>
        <translation>{path} 的文件缺失或已损坏。</translation>
    </message>
    <message>
        <source>This kind of model is not supported.</source>
        <translation>不支持这类模型。</translation>
    </message>
    <message>
        <source>Choose another model or a newer engine version.</source>
        <translation>请换一个模型，或使用更新的引擎版本。</translation>
    </message>
    <message>
        <source>This engine version does not know the flag.</source>
        <translation>该引擎版本没有这个参数。</translation>
    </message>
    <message>
        <source>Remove it, or take the flag that replaced it.</source>
        <translation>请删除它，或改用替代它的参数。</translation>
    </message>
    <message>
        <source>This engine version does not know {flag}.</source>
        <translation>该引擎版本没有参数 {flag}。</translation>
    </message>
    <message>
        <source>The engine exited.</source>
        <translation>引擎已退出。</translation>
    </message>
    <message>
        <source>Read the last lines of its log; they hold the reason.</source>
        <translation>请查看日志末尾，那里有原因。</translation>
    </message>
    <message>
        <source>{engine} exited with code {exit_code}.</source>
        <translation>{engine} 已退出，退出码 {exit_code}。</translation>
    </message>
    <message>
        <source>The engine did not get ready in time.</source>
        <translation>引擎没有按时就绪。</translation>
    </message>
    <message>
        <source>Read its log; a large model may only need longer.</source>
        <translation>请查看日志；大模型可能只是需要更长时间。</translation>
    </message>
    <message>
        <source>The engine ran out of memory.</source>
        <translation>引擎显存不足。</translation>
    </message>
    <message>
        <source>Lower the context or the concurrency, or use more GPUs.</source>
        <translation>请缩短上下文、降低并发，或增加 GPU。</translation>
    </message>
    <message>
        <source>The engine crashes again and again; it was stopped.</source>
        <translation>引擎反复崩溃，已停止。</translation>
    </message>
    <message>
        <source>Read the log of the first crash, then change the plan.</source>
        <translation>请查看第一次崩溃的日志，然后调整方案。</translation>
    </message>
    <message>
        <source>The engine refused the request.</source>
        <translation>引擎拒绝了请求。</translation>
    </message>
    <message>
        <source>The engine answers, but the test answer is not usable.</source>
        <translation>引擎有响应，但测试回答不可用。</translation>
    </message>
    <message>
        <source>Check the model&apos;s files and quantization; the details show the answer.</source>
        <translation>请检查模型文件和量化方式，详情中有回答内容。</translation>
    </message>
    <message>
        <source>Pitwall&apos;s database was damaged. It was kept aside; a new one is in use.</source>
        <translation>Pitwall 的数据库已损坏，已另存一份，目前使用新的数据库。</translation>
    </message>
    <message>
        <source>Add your hosts again; what runs on them is found by itself.</source>
        <translation>请重新添加主机，主机上运行的部署会自动找回。</translation>
    </message>
    <message>
        <source>The disk of this computer is full.</source>
        <translation>本机磁盘已满。</translation>
    </message>
    <message>
        <source>Free some space and try again.</source>
        <translation>请释放空间后重试。</translation>
    </message>
    <message>
        <source>The database was written by a newer Pitwall.</source>
        <translation>数据库由更新版本的 Pitwall 写入。</translation>
    </message>
    <message>
        <source>Use the newer version, or another folder.</source>
        <translation>请使用更新的版本，或换一个文件夹。</translation>
    </message>
    <message>
        <source>The database could not be brought to this version; it was left as it was.</source>
        <translation>数据库无法升级到当前版本，已保持原样。</translation>
    </message>
    <message>
        <source>Report this with the details, and go on with the earlier version.</source>
        <translation>请附上详情报告此问题，并继续使用先前的版本。</translation>
    </message>
    <message>
        <source>The settings could not be read. The file was kept aside; the defaults are in use.</source>
        <translation>无法读取设置。原文件已另存，目前使用默认值。</translation>
    </message>
    <message>
        <source>Set language, theme and folders again.</source>
        <translation>请重新设置语言、主题和文件夹。</translation>
    </message>
    <message>
        <source>The profile cannot be read. The file was left as it is.</source>
        <translation>无法读取配置，文件保持原样。</translation>
    </message>
    <message>
        <source>Correct the named place, or save the plan again.</source>
        <translation>请改正指出的位置，或重新保存方案。</translation>
    </message>
    <message>
        <source>The profile {file} cannot be read. The file was left as it is.</source>
        <translation>无法读取配置 {file}，文件保持原样。</translation>
    </message>
    <message>
        <source>The fingerprint file cannot be read.</source>
        <translation>无法读取指纹文件。</translation>
    </message>
    <message>
        <source>Choose a file that Pitwall saved, or take the fingerprint again.</source>
        <translation>请选择 Pitwall 保存的文件，或重新采集指纹。</translation>
    </message>
    <message>
        <source>The fingerprint file {file} cannot be read.</source>
        <translation>无法读取指纹文件 {file}。</translation>
    </message>
    <message>
        <source>A data file is broken.</source>
        <translation>数据文件损坏。</translation>
    </message>
    <message>
        <source>Correct the named place, or remove your own version of the file.</source>
        <translation>请改正指出的位置，或删除自定义的同名文件。</translation>
    </message>
    <message>
        <source>The data file {file} is broken.</source>
        <translation>数据文件 {file} 损坏。</translation>
    </message>
    <message>
        <source>Stopped as asked.</source>
        <translation>已按要求停止。</translation>
    </message>
    <message>
        <source>Start it again when you like.</source>
        <translation>需要时可以重新开始。</translation>
    </message>
    <message>
        <source>Something inside Pitwall failed.</source>
        <translation>Pitwall 内部出错。</translation>
    </message>
    <message>
        <source>Try again; if it happens again, report it with the details.</source>
        <translation>请重试；如果再次出现，请附上详情报告。</translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Find a page, a host, an action, a setting or help</source>
        <translation>查找页面、主机、操作、设置或帮助</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Nothing is called “{text}”</source>
        <translation>没有名为“{text}”的内容</translation>
    </message>
</context>
<context>
    <name>SecretDialog</name>
    <message>
        <source>Passphrase for {host}</source>
        <translation>{host} 的密钥口令</translation>
    </message>
    <message>
        <source>Password for {host}</source>
        <translation>{host} 的密码</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>&amp;Passphrase</source>
        <translation>口令(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Password</source>
        <translation>密码(&amp;P)</translation>
    </message>
    <message>
        <source>Kept in memory until Pitwall closes; never written into a file.</source>
        <translation>只留在内存中，退出 Pitwall 即清除；绝不写入文件。</translation>
    </message>
    <message>
        <source>It does not open the key. Try again.</source>
        <translation>此口令无法解开密钥，请重试。</translation>
    </message>
    <message>
        <source>The host refused the last one. Try again.</source>
        <translation>上次输入的被拒绝，请重新输入。</translation>
    </message>
    <message>
        <source>Enter it to go on.</source>
        <translation>请输入后继续。</translation>
    </message>
</context>
<context>
    <name>Shell</name>
    <message>
        <source>Connecting to {subject}</source>
        <translation>正在连接 {subject}</translation>
    </message>
    <message>
        <source>Taking the fingerprint of {subject}</source>
        <translation>正在采集 {subject} 的指纹</translation>
    </message>
    <message>
        <source>Smoke run on {subject}</source>
        <translation>正在 {subject} 上做冒烟测试</translation>
    </message>
    <message>
        <source>Looking at {subject}</source>
        <translation>正在识别 {subject}</translation>
    </message>
    <message>
        <source>Reading what {subject} is</source>
        <translation>正在识别 {subject}</translation>
    </message>
    <message>
        <source>Deploying {subject}</source>
        <translation>正在部署 {subject}</translation>
    </message>
    <message>
        <source>Starting {subject}</source>
        <translation>正在启动 {subject}</translation>
    </message>
    <message>
        <source>Stopping {subject}</source>
        <translation>正在停止 {subject}</translation>
    </message>
    <message>
        <source>Restarting {subject}</source>
        <translation>正在重启 {subject}</translation>
    </message>
    <message>
        <source>Rolling {subject} back</source>
        <translation>正在回退 {subject}</translation>
    </message>
    <message>
        <source>Removing {subject}</source>
        <translation>正在移除 {subject}</translation>
    </message>
    <message>
        <source>Looking where the time of {subject} goes</source>
        <translation>正在分析 {subject} 的时间花在哪里</translation>
    </message>
    <message>
        <source>Reading {subject} for causes</source>
        <translation>正在读取 {subject} 以查找原因</translation>
    </message>
    <message>
        <source>Gathering the support bundle of {subject}</source>
        <translation>正在收集 {subject} 的支持包</translation>
    </message>
    <message>
        <source>Fetching the image for {subject}</source>
        <translation>正在为 {subject} 拉取镜像</translation>
    </message>
    <message>
        <source>Planning for {subject}</source>
        <translation>正在为 {subject} 规划</translation>
    </message>
    <message>
        <source>Looking for models on {subject}</source>
        <translation>正在 {subject} 上查找模型</translation>
    </message>
    <message>
        <source>Reading the model {subject}</source>
        <translation>正在读取模型 {subject}</translation>
    </message>
    <message>
        <source>Measuring how fast {subject} is read</source>
        <translation>正在测量 {subject} 的读取速度</translation>
    </message>
    <message>
        <source>Saving the log of {subject}</source>
        <translation>正在保存 {subject} 的日志</translation>
    </message>
    <message>
        <source>No host chosen</source>
        <translation>未选择主机</translation>
    </message>
    <message>
        <source>Choose or add one on the Hosts page</source>
        <translation>请在“主机”页选择或添加</translation>
    </message>
    <message>
        <source>This host is a record of what was sent; there is no machine to connect to.</source>
        <translation>该主机是由收到的资料生成的记录，没有可连接的机器。</translation>
    </message>
    <message>
        <source>No fingerprint yet</source>
        <translation>还没有指纹</translation>
    </message>
    <message>
        <source>No GPU found</source>
        <translation>没有找到 GPU</translation>
    </message>
    <message>
        <source>GPUs unknown: the fingerprint says why</source>
        <translation>GPU 未知：原因见指纹</translation>
    </message>
    <message>
        <source>driver {version}</source>
        <translation>驱动 {version}</translation>
    </message>
    <message>
        <source>Working on {subject}</source>
        <translation>正在处理 {subject}</translation>
    </message>
    <message>
        <source>Cancelled, being undone: {work}</source>
        <translation>已取消，正在撤销：{work}</translation>
    </message>
</context>
</TS>
