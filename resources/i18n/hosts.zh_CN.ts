<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>GroupBox</name>
    <message>
        <source>Group</source>
        <translation>分组</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
</context>
<context>
    <name>HostActs</name>
    <message>
        <source>Take fingerprint</source>
        <translation>采集指纹</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>Deployments</source>
        <translation>部署</translation>
    </message>
    <message>
        <source>Copy SSH command</source>
        <translation>复制 SSH 命令</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Forget secrets</source>
        <translation>清除已记住的密码</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>断开</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>分组</translation>
    </message>
    <message>
        <source>Without a group</source>
        <translation>未分组</translation>
    </message>
    <message>
        <source>New group</source>
        <translation>新建分组</translation>
    </message>
</context>
<context>
    <name>HostDetails</name>
    <message>
        <source>Notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Who uses it, where it stands, what to mind</source>
        <translation>谁在用、放在哪里、有什么要注意</translation>
    </message>
    <message>
        <source>Runs here</source>
        <translation>正在运行</translation>
    </message>
    <message>
        <source>no fingerprint yet</source>
        <translation>还没有指纹</translation>
    </message>
    <message>
        <source>in the system&apos;s keyring</source>
        <translation>保存在系统密钥环中</translation>
    </message>
    <message>
        <source>none found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>分组</translation>
    </message>
    <message>
        <source>Secrets</source>
        <translation>密码与口令</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>驱动</translation>
    </message>
    <message>
        <source>Container engine</source>
        <translation>容器引擎</translation>
    </message>
    <message>
        <source>Fingerprint</source>
        <translation>指纹</translation>
    </message>
</context>
<context>
    <name>HostDialog</name>
    <message>
        <source>Add host</source>
        <translation>添加主机</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Add a host over SSH</source>
        <translation>通过 SSH 添加主机</translation>
    </message>
    <message>
        <source>Host settings</source>
        <translation>主机设置</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>SSH agent and usual keys</source>
        <translation>SSH 代理和常用密钥</translation>
    </message>
    <message>
        <source>Key file</source>
        <translation>密钥文件</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>Choose the key file</source>
        <translation>选择密钥文件</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>名称(&amp;N)</translation>
    </message>
    <message>
        <source>How it is called here; empty takes the address.</source>
        <translation>在这里显示的名称；留空则使用地址。</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>地址(&amp;A)</translation>
    </message>
    <message>
        <source>Host name, IP address, or a name from ~/.ssh/config.</source>
        <translation>主机名、IP 地址，或 ~/.ssh/config 中的名称。</translation>
    </message>
    <message>
        <source>P&amp;ort</source>
        <translation>端口(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;User</source>
        <translation>用户(&amp;U)</translation>
    </message>
    <message>
        <source>Empty takes what SSH would take.</source>
        <translation>留空则按 SSH 的规则选取。</translation>
    </message>
    <message>
        <source>&amp;Log in with</source>
        <translation>登录方式(&amp;L)</translation>
    </message>
    <message>
        <source>A password is asked for later.</source>
        <translation>密码在连接时询问。</translation>
    </message>
    <message>
        <source>&amp;Key file</source>
        <translation>密钥文件(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Model folder on the host</source>
        <translation>主机上的模型文件夹(&amp;M)</translation>
    </message>
    <message>
        <source>Where models are looked for first.</source>
        <translation>优先在这里查找模型。</translation>
    </message>
    <message>
        <source>&amp;Group</source>
        <translation>分组(&amp;G)</translation>
    </message>
    <message>
        <source>What it is listed under; may stay empty.</source>
        <translation>在列表中的归类，可留空。</translation>
    </message>
    <message>
        <source>&amp;Container engine socket</source>
        <translation>容器引擎套接字(&amp;C)</translation>
    </message>
    <message>
        <source>Empty finds it by itself.</source>
        <translation>留空则自动查找。</translation>
    </message>
</context>
<context>
    <name>HostInspection</name>
    <message>
        <source>The notes about {host} were cleared.</source>
        <translation>已清空 {host} 的备注。</translation>
    </message>
</context>
<context>
    <name>Hosts</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>分组</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>驱动</translation>
    </message>
    <message>
        <source>GPU memory, GiB</source>
        <translation>显存（GiB）</translation>
    </message>
    <message>
        <source>Deployments</source>
        <translation>部署</translation>
    </message>
    <message>
        <source>Last seen</source>
        <translation>最近在线</translation>
    </message>
    <message>
        <source>At most 64 characters, without / : or .json</source>
        <translation>最多 64 个字符，不含 / : 和 .json</translation>
    </message>
    <message>
        <source>Give a host name or an IP address.</source>
        <translation>请填写主机名或 IP 地址。</translation>
    </message>
    <message>
        <source>Give a port from 1 to 65535.</source>
        <translation>请填写 1 到 65535 之间的端口。</translation>
    </message>
    <message>
        <source>Give a user name without blanks.</source>
        <translation>用户名不能含空格。</translation>
    </message>
    <message>
        <source>Choose the private key file.</source>
        <translation>请选择私钥文件。</translation>
    </message>
    <message>
        <source>At most 64 characters, in one line.</source>
        <translation>最多 64 个字符，不能换行。</translation>
    </message>
    <message>
        <source>There is a host of this name already.</source>
        <translation>已有同名主机。</translation>
    </message>
    <message>
        <source>No GPU</source>
        <translation>无 GPU</translation>
    </message>
    <message>
        <source>GPUs unknown</source>
        <translation>GPU 未知</translation>
    </message>
    <message>
        <source>port {port}</source>
        <translation>端口 {port}</translation>
    </message>
    <message>
        <source>Plan a model on this host</source>
        <translation>在此主机上规划模型</translation>
    </message>
    <message>
        <source>{host} is known from a record: models can be planned for it.</source>
        <translation>{host} 来自一份记录：可以为它规划模型。</translation>
    </message>
    <message>
        <source>{host} has no container engine that answers: planning works, deploying not.</source>
        <translation>{host} 上没有可用的容器引擎：可以规划，但无法部署。</translation>
    </message>
    <message>
        <source>See what is missing</source>
        <translation>查看缺少什么</translation>
    </message>
    <message>
        <source>{host} is ready. Choose a model: Pitwall finds engine and values.</source>
        <translation>{host} 已就绪。选择模型，由 Pitwall 推荐引擎和参数。</translation>
    </message>
</context>
<context>
    <name>HostsImport</name>
    <message>
        <source>Reached through {value}, which Pitwall cannot do yet</source>
        <translation>需经跳板机 {value} 连接，Pitwall 暂不支持</translation>
    </message>
    <message>
        <source>Reached by a command ({value}), which Pitwall cannot do yet</source>
        <translation>需用代理命令（{value}）连接，Pitwall 暂不支持</translation>
    </message>
    <message>
        <source>Its key is known as {value}; it will be shown once more</source>
        <translation>主机密钥登记在 {value} 名下，首次连接时会再次请您确认</translation>
    </message>
    <message>
        <source>A certificate is used only when it lies beside its key</source>
        <translation>证书须与密钥放在同一文件夹才会使用</translation>
    </message>
    <message>
        <source>Keys on hardware are not used</source>
        <translation>不使用硬件密钥</translation>
    </message>
    <message>
        <source>Its own agent is not asked, the session&apos;s is</source>
        <translation>不使用它单独指定的 SSH 代理，而用当前会话的代理</translation>
    </message>
    <message>
        <source>Of its keys only {value} is taken over</source>
        <translation>列有多个密钥，只采用 {value}</translation>
    </message>
    <message>
        <source>Its key {value} is not there</source>
        <translation>密钥 {value} 不存在</translation>
    </message>
    <message>
        <source>A “Match exec” was passed over</source>
        <translation>跳过了一处“Match exec”</translation>
    </message>
    <message>
        <source>A “Match” was passed over that Pitwall does not know</source>
        <translation>跳过了一处 Pitwall 不认识的“Match”</translation>
    </message>
    <message>
        <source>“ssh -G” did not answer; Pitwall read the file itself</source>
        <translation>“ssh -G”没有应答，改由 Pitwall 自行读取文件</translation>
    </message>
    <message>
        <source>Its port cannot be used ({value})</source>
        <translation>端口无效（{value}）</translation>
    </message>
    <message>
        <source>{value} is included and cannot be read</source>
        <translation>Include 的 {value} 无法读取</translation>
    </message>
    <message>
        <source>Is on the list as {name}</source>
        <translation>已在列表中：{name}</translation>
    </message>
</context>
<context>
    <name>HostsPage</name>
    <message>
        <source>Hosts</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Remove {host}?</source>
        <translation>移除 {host}？</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Copy as command</source>
        <translation>复制为命令</translation>
    </message>
    <message>
        <source>Import from SSH config</source>
        <translation>从 SSH 配置导入</translation>
    </message>
    <message>
        <source>Connect all shown</source>
        <translation>连接所有列出的主机</translation>
    </message>
    <message>
        <source>Disconnect all shown</source>
        <translation>断开所有列出的主机</translation>
    </message>
    <message>
        <source>this-computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>{count} on this desk</source>
        <translation>共 {count} 台</translation>
    </message>
    <message>
        <source>{shown} of {count} shown</source>
        <translation>显示 {shown} 台，共 {count} 台</translation>
    </message>
    <message>
        <source>Hosts added: {count}</source>
        <translation>已添加 {count} 台主机</translation>
    </message>
    <message>
        <source>{host} was removed from the list.</source>
        <translation>已从列表中移除 {host}。</translation>
    </message>
    <message>
        <source>Nothing secret of {host} is kept any more.</source>
        <translation>{host} 的密码和口令已清除。</translation>
    </message>
    <message>
        <source>Copied: {command}</source>
        <translation>已复制：{command}</translation>
    </message>
    <message>
        <source>The host goes off this list, with its fingerprints; its remembered password is forgotten. What runs on it goes on; nothing there is touched.</source>
        <translation>主机及其指纹将从列表中移除，记住的密码也会清除。主机上运行的内容不受影响，不会做任何改动。</translation>
    </message>
</context>
<context>
    <name>HostsTable</name>
    <message>
        <source>Hosts</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>No host fits</source>
        <translation>没有符合条件的主机</translation>
    </message>
    <message>
        <source>Search and group leave nothing over; there are hosts beyond them.</source>
        <translation>当前的搜索词和分组把主机都筛掉了。</translation>
    </message>
    <message>
        <source>Show all hosts</source>
        <translation>显示全部主机</translation>
    </message>
</context>
<context>
    <name>HostsTools</name>
    <message>
        <source>Add over SSH</source>
        <translation>通过 SSH 添加</translation>
    </message>
    <message>
        <source>Add this computer</source>
        <translation>添加本机</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Name, address, group, GPU, notes or deployment; every word must be there</source>
        <translation>可搜名称、地址、分组、GPU、备注和部署；多个词须同时出现</translation>
    </message>
    <message>
        <source>Search hosts</source>
        <translation>搜索主机</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>分组</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>All groups</source>
        <translation>全部分组</translation>
    </message>
    <message>
        <source>Without a group</source>
        <translation>未分组</translation>
    </message>
</context>
<context>
    <name>HostsWelcome</name>
    <message>
        <source>Where shall the models run?</source>
        <translation>模型要在哪里运行？</translation>
    </message>
    <message>
        <source>Pitwall installs nothing on a host. It needs SSH, or this computer, and the container engine that is there.</source>
        <translation>Pitwall 不在主机上安装任何东西，只需要 SSH（或本机）和已有的容器引擎。</translation>
    </message>
    <message>
        <source>Try the demo host</source>
        <translation>试用演示主机</translation>
    </message>
    <message>
        <source>Two H200 GPUs from a recording and a simulated engine: try everything at once, without hardware.</source>
        <translation>录制的两块 H200 加一个模拟引擎：无需硬件，马上试用全部功能。</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Use the GPUs, or the processors, of the computer that Pitwall runs on.</source>
        <translation>使用运行 Pitwall 的这台计算机的 GPU 或处理器。</translation>
    </message>
    <message>
        <source>Add over SSH</source>
        <translation>通过 SSH 添加</translation>
    </message>
    <message>
        <source>A server with key or password. Its host key is shown before anything else.</source>
        <translation>用密钥或密码登录服务器，连接前会先显示主机密钥。</translation>
    </message>
    <message>
        <source>Import from SSH config</source>
        <translation>从 SSH 配置导入</translation>
    </message>
    <message>
        <source>Choose from the hosts that your SSH client knows; none is contacted yet.</source>
        <translation>从 SSH 客户端已配置的主机中挑选，此时不会发起连接。</translation>
    </message>
</context>
<context>
    <name>ImportDialog</name>
    <message>
        <source>SSH configuration</source>
        <translation>SSH 配置文件</translation>
    </message>
    <message>
        <source>Import hosts from an SSH configuration</source>
        <translation>从 SSH 配置文件导入主机</translation>
    </message>
    <message>
        <source>Add hosts</source>
        <translation>添加主机</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Reading the configuration</source>
        <translation>正在读取配置</translation>
    </message>
    <message>
        <source>Choose the configuration</source>
        <translation>选择配置文件</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>&amp;Group for the new hosts</source>
        <translation>新主机的分组(&amp;G)</translation>
    </message>
    <message>
        <source>Hosts of the configuration</source>
        <translation>配置中的主机</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>User</source>
        <translation>用户</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>端口</translation>
    </message>
    <message>
        <source>Key file</source>
        <translation>密钥文件</translation>
    </message>
    <message>
        <source>Jump host</source>
        <translation>跳板机</translation>
    </message>
    <message>
        <source>Worth knowing</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Let OpenSSH run what “Match exec” says: {commands}</source>
        <translation>允许 OpenSSH 执行“Match exec”中的命令：{commands}</translation>
    </message>
    <message>
        <source>This file names no host without wildcards.</source>
        <translation>该文件中没有不含通配符的主机。</translation>
    </message>
    <message>
        <source>{chosen} of {count} hosts will be added; none is contacted.</source>
        <translation>共 {count} 台，将添加 {chosen} 台；此时不会发起连接。</translation>
    </message>
</context>
<context>
    <name>Keyring</name>
    <message>
        <source>The system&apos;s keyring is ready</source>
        <translation>系统密钥环可用</translation>
    </message>
    <message>
        <source>No system keyring runs here</source>
        <translation>当前桌面没有运行密钥环</translation>
    </message>
    <message>
        <source>The keyring that is set up stores in plain text: refused</source>
        <translation>所设的密钥环以明文保存，已拒绝使用</translation>
    </message>
    <message>
        <source>The system&apos;s keyring is locked; nobody unlocked it</source>
        <translation>系统密钥环已锁定，且未被解锁</translation>
    </message>
    <message>
        <source>The system&apos;s keyring did not answer as it should</source>
        <translation>系统密钥环应答异常</translation>
    </message>
    <message>
        <source>Passwords and passphrases go there only when you tick “Remember”; otherwise they stay in memory until Pitwall closes.</source>
        <translation>只有勾选“记住”时，密码和口令才会存入密钥环；否则只留在内存中，退出 Pitwall 即清除。</translation>
    </message>
    <message>
        <source>Passwords and passphrases stay in memory until Pitwall closes. To have them remembered, start GNOME Keyring, KWallet or another Secret Service.</source>
        <translation>密码和口令只留在内存中，退出 Pitwall 即清除。如需记住，请启动 GNOME Keyring、KWallet 或其他 Secret Service。</translation>
    </message>
    <message>
        <source>Passwords and passphrases stay in memory until Pitwall closes. Choose the desktop&apos;s own keyring in the settings of “keyring”.</source>
        <translation>密码和口令只留在内存中，退出 Pitwall 即清除。请在 keyring 的配置中改用桌面自带的密钥环。</translation>
    </message>
    <message>
        <source>Passwords and passphrases stay in memory until Pitwall closes. Unlock the keyring, then look again.</source>
        <translation>密码和口令只留在内存中，退出 Pitwall 即清除。请先解锁密钥环，再点“重新检测”。</translation>
    </message>
    <message>
        <source>Passwords and passphrases stay in memory until Pitwall closes. See whether the keyring runs, then look again.</source>
        <translation>密码和口令只留在内存中，退出 Pitwall 即清除。请检查密钥环是否在运行，再点“重新检测”。</translation>
    </message>
</context>
<context>
    <name>KeyringCard</name>
    <message>
        <source>Passwords and passphrases</source>
        <translation>密码与口令</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>重新检测</translation>
    </message>
    <message>
        <source>Looking for the system&apos;s keyring</source>
        <translation>正在检测系统密钥环</translation>
    </message>
    <message>
        <source>API keys of deployments are made by Pitwall and stay in memory.</source>
        <translation>部署的 API 密钥由 Pitwall 生成，只留在内存中。</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>Hosts</source>
        <translation>主机</translation>
    </message>
</context>
<context>
    <name>RememberBox</name>
    <message>
        <source>&amp;Remember in the system&apos;s keyring</source>
        <translation>记住到系统密钥环(&amp;R)</translation>
    </message>
</context>
<context>
    <name>RunningList</name>
    <message>
        <source>Nothing that Pitwall knows of</source>
        <translation>没有 Pitwall 已知的部署</translation>
    </message>
    <message>
        <source>Open {name}</source>
        <translation>打开 {name}</translation>
    </message>
</context>
<context>
    <name>UndoStrip</name>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
</TS>
